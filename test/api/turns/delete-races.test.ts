import postgres from 'postgres';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TurnResource } from '#core/turn/resource/turn.ts';
import type { Answer } from '#test/harness/api-client.ts';
import { createHarness, type Harness } from '#test/harness/create-harness.ts';
import { failedTurn } from '#test/harness/hidden-turns.ts';
import { scripted } from '#test/harness/scripted.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { describeRefusal } from '../refusals.ts';

let harness: Harness;
let other: postgres.Sql;
beforeAll(async () => {
  harness = await createHarness();
  other = postgres(harness.env.DATABASE_URL, { max: 2, onnotice: () => {} });
});
afterAll(async () => {
  await other.end();
  await harness[Symbol.asyncDispose]();
});

type Verb = [name: string, ask: (turn: TurnResource, delivery: string) => Promise<Answer<unknown>>, refusal: string];

const post = (path: string, body?: unknown, headers = {}) => harness.call('POST', path, { body, headers });
const say = (turn: TurnResource, body = {}, headers = {}) =>
  post(`/v1/conversations/${turn.conversation_id}/turns`, { input: 'Hi', ...body }, headers);

const NO_TURN = '404 turn_not_found: id';
const NO_CONVERSATION = '404 conversation_not_found: id';
const ANSWER = { tool_outputs: [{ tool_call_id: 'call_1', output: 'here' }] };
const ALLOW = { approvals: [{ tool_call_id: 'call_1', decision: 'allow' }] };

const VERBS: Verb[] = [
  ['a cancel', ({ id }) => post(`/v1/turns/${id}/cancel`), NO_TURN],
  ['a retry', ({ id }) => post(`/v1/turns/${id}/retry`), NO_TURN],
  ['a tool output', ({ id }) => post(`/v1/turns/${id}/tool_outputs`, ANSWER), NO_TURN],
  ['an approval', ({ id }) => post(`/v1/turns/${id}/approvals`, ALLOW), NO_TURN],
  ['a next turn', (turn) => say(turn), NO_CONVERSATION],
  ['a next turn with a key', (turn) => say(turn, {}, { 'idempotency-key': turn.id }), NO_CONVERSATION],
  ['an interrupt', (turn) => say(turn, { on_active_turn: 'interrupt' }), NO_CONVERSATION],
  ['a redelivery', (_, delivery) => post(`/v1/deliveries/${delivery}/redeliver`), '404 delivery_not_found: id'],
  ['a second delete', ({ conversation_id: id }) => harness.call('DELETE', `/v1/conversations/${id}`), '204 accepted'],
];

test.each(VERBS)('%s that waits for a delete finds its resource deleted', async (_, ask, refusal) => {
  const { turn, delivery } = await failedTurn(harness);
  const { rows: deleted, commit } = await deleting(turn.conversation_id);

  const asking = ask(turn, delivery);
  await untilOneWaits();
  await commit();

  expect(deleted).toBe(1);
  expect(describeRefusal(await asking)).toBe(refusal);
});

test.each(VERBS)('%s and a concurrent delete both get a valid answer', async (_, ask) => {
  const statuses = new Set<number>();
  for (let n = 0; n < 8; n += 1) {
    const { turn, delivery } = await failedTurn(harness);
    const remove = () => harness.call('DELETE', `/v1/conversations/${turn.conversation_id}`);
    const both = n % 2 === 0 ? [ask(turn, delivery), remove()] : [remove(), ask(turn, delivery)];
    for (const answer of await Promise.all(both)) {
      describeRefusal(answer);
      statuses.add(answer.status);
    }
  }

  expect([...statuses].filter((status) => ![200, 202, 204, 404, 409].includes(status))).toEqual([]);
});

test('a concurrent tool output, cancel and delete all get a valid answer', async () => {
  const call = { name: 'locate_user', arguments: {}, id: 'call_1' };
  const tools = [{ name: 'locate_user', description: 'Asks the device where the user is' }];
  const statuses = new Set<number>();
  for (let n = 0; n < 8; n += 1) {
    const turn = await harness.startTurn({ input: scripted({ rounds: [{ tools: [call] }] }), tools });
    await harness.workUntilIdle();
    const answers = await Promise.all([
      post(`/v1/turns/${turn.id}/tool_outputs`, ANSWER),
      post(`/v1/turns/${turn.id}/cancel`),
      harness.call('DELETE', `/v1/conversations/${turn.conversation_id}`),
      post(`/v1/turns/${turn.id}/cancel`),
    ]);
    for (const answer of answers) {
      describeRefusal(answer);
      statuses.add(answer.status);
    }
  }

  expect([...statuses].filter((status) => ![200, 204, 404, 409].includes(status))).toEqual([]);
});

/** Deletes a conversation as the API does, and commits on request. */
async function deleting(id: string) {
  const connection = await other.reserve();
  await connection`begin`;
  await connection`select id from conversations where id = ${id} for update`;
  const { count: rows } = await connection`delete from conversations where id = ${id}`;
  return {
    rows,
    commit: async () => {
      await connection`commit`;
      connection.release();
    },
  };
}

async function untilOneWaits(): Promise<void> {
  await waitUntil(async () => {
    const [row] = await other`select count(*)::int as waiting from pg_locks
        where not granted and pid in (select pid from pg_stat_activity where datname = current_database())`;
    expect(row!.waiting).toBeGreaterThan(0);
  });
}
