import { sql } from 'kysely';
import { expect } from 'vitest';
import { removeDeletedAgents } from '#core/checkpoint/agents/agents.ts';
import type { Harness } from '#test/harness/create-harness.ts';
import { enterNow } from '#test/harness/enter-now.ts';
import { scripted } from '#test/harness/scripted.ts';
import { dumpTables } from '#test/harness/stores/dump-tables.ts';
import { test } from '#test/harness/test.ts';
import { again, createAgent, createConversation, start } from './agents.ts';

const MARK = 'purple';
const instructions = 'You help {{customer}}.';
const variables = { customer: MARK };
/** An answer without the instructions, since the model may repeat them. */
const input = scripted({ answer: 'Hello.' });

const hasMark = async ({ db }: Harness) => (await dumpTables(db)).includes(MARK);

test('the variables and the filled instructions of a turn are deleted with the turn', async ({ harness }) => {
  const agent = await createAgent(harness, { instructions });
  const turn = await start(harness, { agent: 'support', variables, input });
  await harness.workUntilIdle();
  const rerun = await again(harness, turn.id, 'rerun', {});
  await harness.workUntilIdle();
  await enterNow(harness);

  const before = await hasMark(harness);
  const deleted = await harness.call('DELETE', `/v1/turns/${turn.id}`);
  const ofRerun = await hasMark(harness);
  await harness.call('DELETE', `/v1/turns/${rerun.id}`);

  expect([before, deleted.status, ofRerun, await hasMark(harness)]).toEqual([true, 204, true, false]);
  expect((await harness.call('GET', `/v1/agents/${agent.id}`)).body).toEqual(agent);
});

test('the variables of a turn inside a conversation are deleted with that turn', async ({ harness }) => {
  await createAgent(harness, { instructions });
  const { id } = await createConversation(harness, { agent: 'support', variables: { customer: 'Ada' } });
  for (const given of [{}, { variables }, {}]) await start(harness, { ...given, input }, id);
  await harness.workUntilIdle();

  const { body } = await harness.call<{ data: { id: string }[] }>('GET', `/v1/turns?conversation_id=${id}`);
  const before = await hasMark(harness);
  const deleted = await harness.call('DELETE', `/v1/turns/${body.data[1]?.id}`);

  expect([before, deleted.status, await hasMark(harness)]).toEqual([true, 204, false]);
});

test('the variables of a conversation are deleted with the conversation', async ({ harness }) => {
  await createAgent(harness, { instructions });
  const { id } = await createConversation(harness, { agent: 'support', variables });
  await start(harness, { input }, id);
  await harness.workUntilIdle();
  await enterNow(harness);

  const before = await hasMark(harness);
  const deleted = await harness.call('DELETE', `/v1/conversations/${id}`);

  expect([before, deleted.status, await hasMark(harness)]).toEqual([true, 204, false]);
});

test('the configuration of an agent that no turn ran with is removed after two days', async ({ harness }) => {
  const { id } = await createAgent(harness, { instructions: MARK, metadata: { of: MARK } });

  const before = await hasMark(harness);
  await harness.call('DELETE', `/v1/agents/${id}`);
  await sql`update agents set deleted_at = deleted_at - interval '49 hours'`.execute(harness.db);
  await removeDeletedAgents(harness.db);

  expect([before, await hasMark(harness)]).toEqual([true, false]);
});
