import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { TurnResource } from '#core/turn/resource/turn.ts';
import { image, pathOf, pngOf, text, user } from '#test/api/blobs/samples.ts';
import { createHarness, type Harness } from '#test/harness/create-harness.ts';
import { scripted } from '#test/harness/scripted.ts';
import { openExternalServer } from '#test/harness/servers/external-server.ts';
import { dumpTables } from '#test/harness/stores/dump-tables.ts';
import { describeRefusal } from '../refusals.ts';

let harness: Harness;
beforeEach(async () => {
  harness = await createHarness();
});
afterEach(() => harness[Symbol.asyncDispose]());

const MARK = 'purple';
const TRACE = { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`, tracestate: `vendor=${MARK}` };
const KEY = { headers: { 'idempotency-key': 'once', ...TRACE } };
const PICTURE = pngOf({ mark: MARK });

test('a deleted turn leaves no content in any table, and its key starts no turn', async () => {
  await using receiver = await openExternalServer();
  const body = purpleTurn(receiver.url);
  const { body: turn } = await harness.call<TurnResource>('POST', '/v1/turns', { body, ...KEY });
  await harness.workUntilIdle();
  const before = await dumpTables(harness.db);
  const bytes = Buffer.from(PICTURE, 'base64').toString('hex');

  const deleted = await harness.call('DELETE', `/v1/turns/${turn.id}`);
  const after = await dumpTables(harness.db);
  const again = await harness.call('POST', '/v1/turns', { body, ...KEY });
  const other = await harness.call('POST', '/v1/turns', { body: { ...body, input: 'Other.' }, ...KEY });

  expect(receiver.caught.length).toBeGreaterThan(1);
  expect([before.includes(MARK), before.includes(bytes)]).toEqual([true, true]);
  expect([deleted.status, deleted.body]).toEqual([204, null]);
  expect([after.includes(MARK), after.includes(bytes)]).toEqual([false, false]);
  expect([again, other].map(describeRefusal)).toEqual(['404 turn_not_found: id', '404 turn_not_found: id']);
  expect(await countTurns()).toBe(0);
});

test('a key of a deleted turn answers 404 even if the blobs of its body are deleted', async () => {
  await harness.startTurn({ input: user(text('Look'), image(PICTURE)) });
  await harness.workUntilIdle();
  const [first] = (await harness.call<{ data: TurnResource[] }>('GET', '/v1/turns')).body.data;
  const named = { model: 'openai/test', input: user({ type: 'input_image', image_url: pathOf(PICTURE) }) };
  const { body: second } = await harness.call<TurnResource>('POST', '/v1/turns', { body: named, ...KEY });
  await harness.workUntilIdle();

  for (const { id } of [first!, second]) await harness.call('DELETE', `/v1/turns/${id}`);
  const again = await harness.call('POST', '/v1/turns', { body: named, ...KEY });

  expect(await harness.call('GET', pathOf(PICTURE))).toMatchObject({ status: 404 });
  expect(describeRefusal(again)).toBe('404 turn_not_found: id');
});

test('a deleted turn disappears from all reads at once', async () => {
  const turn = await endedTurn({ input: 'purple' });
  const response = turn.id.replace('turn_', 'resp_');

  await harness.call('DELETE', `/v1/turns/${turn.id}`);

  const paths = ['', '/rounds', '/events', '/deliveries', '/chain'].map((path) => `/v1/turns/${turn.id}${path}`);
  const reads = [...paths, `/v1/responses/${response}`, `/v1/turns/${turn.id}/ui-stream`];
  const answers = await Promise.all(reads.map((path) => harness.call('GET', path)));
  expect(answers.map(({ status }) => status)).toEqual(reads.map(() => 404));
  expect(await harness.call('GET', '/v1/turns')).toMatchObject({ body: { data: [] } });
  expect(await harness.call('GET', `/v1/conversations/${turn.conversation_id}/messages`)).toMatchObject({
    ...{ status: 200, body: { data: [] } },
  });
  expect(describeRefusal(await harness.call('DELETE', `/v1/turns/${turn.id}`))).toBe('404 turn_not_found: id');
});

test('an active turn is not deleted', async () => {
  const turn = await harness.startTurn({ input: 'Hi' });

  const early = await harness.call('DELETE', `/v1/turns/${turn.id}`);
  await harness.workUntilIdle();

  expect(describeRefusal(early)).toBe('409 turn_active: null');
  expect((await harness.findTurn(turn.id)).status).toBe('completed');
  expect(await harness.call('DELETE', `/v1/turns/${turn.id}`)).toMatchObject({ status: 204 });
});

test('a deleted turn is no longer sent, also in the next round of a running turn', async () => {
  const first = await endedTurn({ input: 'purple' });
  const next = (input: string) =>
    harness.call('POST', `/v1/conversations/${first.conversation_id}/turns`, {
      body: { input, tools: ['weather_lookup'] },
    });
  const tools = [{ name: 'weather_lookup', arguments: { city: 'Bern' } }];
  await next(scripted({ rounds: [{ tools }, { tools }], answer: 'Done.' }));
  await harness.workOnce();

  await harness.call('DELETE', `/v1/turns/${first.id}`);
  await harness.workUntilIdle();
  await next('Third.');
  await harness.workUntilIdle();

  const sent = harness.modelRequests.map(({ body }) => JSON.stringify(body.messages).includes('purple'));
  expect(sent.slice(0, 2)).toEqual([true, true]);
  expect(sent.slice(2).length).toBeGreaterThan(2);
  expect(sent.slice(2)).not.toContain(true);
  expect(await dumpTables(harness.db)).not.toContain('purple');
});

test('a conversation keeps its own fields, but not those of a deleted first turn', async () => {
  const standing = { model: 'openai/test', instructions: 'Be brief.' };
  const { body: created } = await harness.call<{ id: string }>('POST', '/v1/conversations', { body: standing });
  const { body: turn } = await harness.call<TurnResource>('POST', `/v1/conversations/${created.id}/turns`, {
    body: { input: 'Hi' },
  });
  const begun = await endedTurn({ input: 'Hi', instructions: 'Be brief.' });

  for (const { id } of [turn, begun]) await harness.call('DELETE', `/v1/turns/${id}`);

  const read = (id: string) => harness.call('GET', `/v1/conversations/${id}`);
  expect(await read(created.id)).toMatchObject({ status: 200, body: standing });
  expect(await read(begun.conversation_id)).toMatchObject({ body: { model: 'openai/test', instructions: null } });
});

test('a deleted conversation leaves no content in any table, and its keys answer 404', async () => {
  await using receiver = await openExternalServer();
  const body = purpleTurn(receiver.url);
  const { body: first } = await harness.call<{ id: string }>('POST', '/v1/conversations', { body, ...KEY });
  const path = `/v1/conversations/${first.id}`;
  await harness.call('POST', `${path}/turns`, { body, ...KEY });
  const early = await harness.call('DELETE', path);
  await harness.workUntilIdle();

  const deleted = await harness.call('DELETE', path);
  const after = await dumpTables(harness.db);
  const again = await Promise.all([
    harness.call('POST', '/v1/conversations', { body, ...KEY }),
    harness.call('POST', `${path}/turns`, { body, ...KEY }),
  ]);

  expect([describeRefusal(early), deleted.status]).toEqual(['409 conversation_busy: null', 204]);
  expect(after).not.toContain(MARK);
  expect(again.map(describeRefusal)).toEqual(['404 conversation_not_found: id', '404 conversation_not_found: id']);
  expect(await countTurns()).toBe(0);
});

/** Returns a turn with the word purple everywhere: in its input, answer, calls, tools and webhook. */
function purpleTurn(url: string) {
  const execution = { kind: 'http', url: `${url}${MARK}`, headers: { 'x-color': MARK } };
  const tool = { name: 'paint', description: 'Paints in purple', execution, effect: 'idempotent' };
  const script = scripted({
    rounds: [{ say: MARK, tools: [{ name: 'paint', arguments: { of: MARK } }] }],
    answer: `${MARK}.`,
  });
  return {
    ...{ model: 'openai/test', instructions: MARK, metadata: { of: MARK }, tools: [tool] },
    input: user(text(script), image(PICTURE)),
    webhook: { url: `${url}hook?secret=${MARK}`, include: ['turn'] },
  };
}

async function endedTurn(request: Record<string, unknown>): Promise<TurnResource> {
  const turn = await harness.startTurn(request);
  await harness.workUntilIdle();
  return turn;
}

async function countTurns(): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from turns`.execute(harness.db);
  return rows[0]!.count;
}
