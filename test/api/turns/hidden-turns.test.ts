import { afterAll, beforeAll, expect, test } from 'vitest';
import { hideTurn } from '#core/checkpoint/deletion/hide.ts';
import { loadTurn } from '#core/checkpoint/turns/reading/find.ts';
import type { TurnResource } from '#core/turn/resource/turn.ts';
import type { Answer } from '#test/harness/api-client.ts';
import { createHarness, type Harness } from '#test/harness/create-harness.ts';
import { failedTurn, makeUnstored, startAlone } from '#test/harness/hidden-turns.ts';
import { describeRefusal } from '../refusals.ts';

type Subject = { turn: TurnResource; delivery: string };

let harness: Harness;
let deleted: Subject;
let unstored: Subject;
beforeAll(async () => {
  harness = await createHarness();
  deleted = await failedTurn(harness);
  unstored = await failedTurn(harness);
  await harness.db.transaction().execute((trx) => hideTurn(trx, 'default', deleted.turn.id));
  await makeUnstored(harness, unstored.turn.id);
});
afterAll(() => harness[Symbol.asyncDispose]());

const ask = (method: string, path: string, body?: unknown, headers = {}) =>
  harness.call(method, path, { body, headers });
const ANSWER = { tool_outputs: [{ tool_call_id: 'call_1', output: 'here' }] };
const ALLOW = { approvals: [{ tool_call_id: 'call_1', decision: 'allow' }] };

const REQUESTS: [name: string, ask: (id: string) => Promise<Answer<unknown>>][] = [
  ['a poll', (id) => ask('GET', `/v1/turns/${id}`)],
  ['a long poll', (id) => ask('GET', `/v1/turns/${id}?wait=1`)],
  ['a long poll for more', (id) => ask('GET', `/v1/turns/${id}?wait=1&after=1`)],
  ['the events', (id) => ask('GET', `/v1/turns/${id}/events`)],
  ['a stream', (id) => ask('GET', `/v1/turns/${id}/events`, undefined, { accept: 'text/event-stream' })],
  ['the rounds', (id) => ask('GET', `/v1/turns/${id}/rounds`)],
  ['the deliveries', (id) => ask('GET', `/v1/turns/${id}/deliveries`)],
  ['an output', (id) => ask('GET', `/v1/turns/${id}/tool_outputs/call_1`)],
  ['a cancel', (id) => ask('POST', `/v1/turns/${id}/cancel`)],
  ['a retry', (id) => ask('POST', `/v1/turns/${id}/retry`)],
  ['a tool output', (id) => ask('POST', `/v1/turns/${id}/tool_outputs`, ANSWER)],
  ['an approval', (id) => ask('POST', `/v1/turns/${id}/approvals`, ALLOW)],
];

test.each(REQUESTS)('%s of a deleted or unstored turn is answered with 404', async (_, askFor) => {
  const answers = [await askFor(deleted.turn.id), await askFor(unstored.turn.id)];

  expect(answers.map(describeRefusal)).toEqual(['404 turn_not_found: id', '404 turn_not_found: id']);
});

test('a delivery of a deleted or unstored turn is neither found nor redelivered', async () => {
  for (const { delivery } of [deleted, unstored]) {
    expect(describeRefusal(await ask('GET', `/v1/deliveries/${delivery}`))).toBe('404 delivery_not_found: id');
    expect(describeRefusal(await ask('POST', `/v1/deliveries/${delivery}/redeliver`))).toBe(
      '404 delivery_not_found: id',
    );
  }
});

test('lists exclude deleted and unstored turns', async () => {
  const lists = ['/v1/turns', '/v1/turns?include=rounds', `/v1/turns?conversation_id=${deleted.turn.conversation_id}`];
  const kept = await harness.startTurn({ input: 'Hi' });
  const listed = await Promise.all(lists.map((path) => harness.call<{ data: { id: string }[] }>('GET', path)));
  const conversations = await harness.call<{ data: { id: string }[] }>('GET', '/v1/conversations');
  const messages = await ask('GET', `/v1/conversations/${deleted.turn.conversation_id}/messages`);

  expect(listed.map(({ body }) => body.data.map(({ id }) => id))).toEqual([[kept.id], [kept.id], []]);
  expect(conversations.body.data.map(({ id }) => id)).toEqual([kept.conversation_id, deleted.turn.conversation_id]);
  expect(messages).toMatchObject({ status: 200, body: { data: [] } });
});

test('the conversation of an unstored turn is not found', async () => {
  const path = `/v1/conversations/${unstored.turn.conversation_id}`;
  const answers = [
    await ask('GET', path),
    await ask('GET', `${path}/messages`),
    await ask('POST', `${path}/turns`, { input: 'Hi' }),
    await ask('DELETE', path),
  ];

  expect(answers.map(describeRefusal)).toEqual(Array(4).fill('404 conversation_not_found: id'));
});

test('a repeated key of a deleted turn answers 404 and starts no turn', async () => {
  const post = () => ask('POST', '/v1/turns', { model: 'openai/test', input: 'Hi' }, { 'idempotency-key': 'k-1' });
  const { body } = (await post()) as Answer<TurnResource>;

  await harness.db.transaction().execute((trx) => hideTurn(trx, 'default', body.id));

  expect(describeRefusal(await post())).toBe('404 turn_not_found: id');
});

test('deleting an active turn cancels it and starts the next turn of its conversation', async () => {
  const first = await harness.startTurn({ input: 'Hi' });
  const path = `/v1/conversations/${first.conversation_id}/turns`;
  const { body: second } = await harness.call<TurnResource>('POST', path, { body: { input: 'Hi' } });

  const hidden = await harness.db.transaction().execute((trx) => hideTurn(trx, 'default', first.id));

  expect(hidden).toMatchObject({ wasActive: true, wakeups: [{ turnId: second.id, step: 'r1' }] });
});

test('an unstored turn sends no webhook to its receiver or to endpoints', async () => {
  await ask('POST', '/v1/webhook_endpoints', { url: 'http://127.0.0.1:9/' });
  const webhook = { url: 'http://127.0.0.1:9/', events: ['turn.completed' as const], include: [] };
  const id = await startAlone(harness, { stored: false, webhook });
  await harness.workUntilIdle();

  const sent = await harness.db.selectFrom('deliveries').select('id').where('turn_id', '=', id).execute();

  expect((await loadTurn(harness.db, id))?.status).toBe('completed');
  expect(sent).toEqual([]);
});
