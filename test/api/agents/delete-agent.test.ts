import { sql } from 'kysely';
import { expect } from 'vitest';
import { removeDeletedAgents } from '#core/checkpoint/agents/agents.ts';
import type { ScheduleResource } from '#core/turn/resource/schedule.ts';
import { test } from '#test/harness/test.ts';
import { describeRefusal, refusalOf } from '../refusals.ts';
import { changeAgent, createAgent, createConversation, instructionsSent, setLabel, start } from './agents.ts';

const HOUR_MS = 3_600_000;

test('a deleted agent is not found, and its name is free for an agent with version 1', async ({ harness }) => {
  const { id } = await createAgent(harness, { instructions: 'one' });
  await changeAgent(harness, 'support', { instructions: 'two' });
  await setLabel(harness, 'support@production', { version: 1 });

  const deleted = await harness.call('DELETE', '/v1/agents/support');
  const again = await harness.call('DELETE', `/v1/agents/${id}`);
  const reads = await Promise.all(['support', id].map((name) => harness.call('GET', `/v1/agents/${name}`)));
  const used = await Promise.all(
    ['support', id, 'support@1', 'support@production'].map((agent) =>
      refusalOf(harness, '/v1/turns', { agent, input: 'Hi' }),
    ),
  );
  const other = await createAgent(harness, { instructions: 'new' });

  expect([deleted.status, deleted.body]).toEqual([204, null]);
  expect([again, ...reads].map(describeRefusal)).toEqual(Array(3).fill('404 agent_not_found: id'));
  expect(used).toEqual(Array(4).fill('404 agent_not_found: agent'));
  expect(other).toMatchObject({ version: 1, labels: {} });
  expect(other.id).not.toBe(id);
  expect(await refusalOf(harness, '/v1/turns', { agent: 'support@2', input: 'Hi' })).toBe('404 agent_not_found: agent');
});

test('the versions of a deleted agent are readable by id as long as its turns exist', async ({ harness }) => {
  const first = await createAgent(harness, { instructions: 'one' });
  const second = await changeAgent(harness, 'support', { instructions: 'two' });
  const unused = await createAgent(harness, { name: 'sales' });
  const turn = await start(harness, { agent: 'support' });

  for (const name of ['support', 'sales']) await harness.call('DELETE', `/v1/agents/${name}`);
  const other = await createAgent(harness, { instructions: 'new' });
  const read = (path: string) => harness.call('GET', `/v1/agents/${path}`);

  await removeDeletedAgents(harness.db);
  expect((await read(`${unused.id}?version=1`)).status).toBe(200);
  await sql`update agents set deleted_at = deleted_at - interval '49 hours'`.execute(harness.db);
  await removeDeletedAgents(harness.db);

  expect(await read(`${first.id}?version=1`)).toMatchObject({ status: 200, body: first });
  expect(await read(`${first.id}?version=2`)).toMatchObject({ status: 200, body: second });
  expect((await read('support?version=1')).body).toEqual(other);
  expect(describeRefusal(await read(`${first.id}?version=3`))).toBe('404 agent_not_found: id');
  expect(describeRefusal(await read(`${unused.id}?version=1`))).toBe('404 agent_not_found: id');
  expect((await harness.findTurn(turn.id)).agent).toEqual({ id: first.id, name: 'support', version: 2 });
});

test('a turn that was accepted runs, also if its agent is deleted', async ({ harness }) => {
  await createAgent(harness, { instructions: 'Be brief.' });
  const turn = await start(harness, { agent: 'support' });

  await harness.call('DELETE', '/v1/agents/support');

  expect(await instructionsSent(harness)).toBe('Be brief.');
  expect(await harness.findTurn(turn.id)).toMatchObject({ status: 'completed', agent: { name: 'support' } });
});

test('a conversation with a deleted agent is readable and runs turns without it', async ({ harness }) => {
  await createAgent(harness, { instructions: 'Of the agent.' });
  await createAgent(harness, { name: 'sales', instructions: 'Of another.' });
  const variables = { x: 'unused' };
  const { id } = await createConversation(harness, { agent: 'support', model: 'openai/test' });
  const first = await start(harness, {}, id);
  await harness.workUntilIdle();
  await harness.call('DELETE', '/v1/agents/support');
  const path = `/v1/conversations/${id}`;

  const next = await harness.call('POST', `${path}/turns`, { body: { input: 'Hi' } });
  const { body: messages } = await harness.call<{ data: unknown[] }>('GET', `${path}/messages`);
  const without = await start(harness, { agent: null }, id);
  const sentWithout = await instructionsSent(harness);
  const other = await start(harness, { agent: 'sales' }, id);
  const sentOther = await instructionsSent(harness);
  const changed = await harness.call('PATCH', path, { body: { agent: null } });
  await start(harness, {}, id);

  expect(describeRefusal(next)).toBe('404 agent_not_found: agent');
  expect((await harness.call('GET', path)).body.agent).toBeNull();
  expect(messages.data).toHaveLength(2);
  expect((await harness.findTurn(first.id)).agent?.name).toBe('support');
  expect([without.agent, sentWithout]).toEqual([null, null]);
  expect([other.agent?.name, sentOther]).toEqual(['sales', 'Of another.']);
  expect(changed.status).toBe(200);
  expect(await refusalOf(harness, '/v1/conversations', { agent: 'support', variables })).toBe(
    '404 agent_not_found: agent',
  );
});

test('a schedule runs turns with the version of the time, and reports a deleted agent', async ({ harness }) => {
  await createAgent(harness, { instructions: 'You help {{customer}}.' });
  const turn = { agent: 'support', variables: { customer: 'Ada' }, input: 'Hi' };
  const { body: schedule } = await harness.call<ScheduleResource>('POST', '/v1/schedules', {
    body: { every_seconds: 3_600, turn },
  });
  const fire = async () => {
    await harness.advance(HOUR_MS);
    await harness.fireSchedules();
    const sent = await instructionsSent(harness);
    const { body } = await harness.call<ScheduleResource>('GET', `/v1/schedules/${schedule.id}`);
    return { sent, last: body.last[0] };
  };

  const first = await fire();
  await changeAgent(harness, 'support', { instructions: 'You greet {{customer}}.' });
  const second = await fire();
  await harness.call('DELETE', '/v1/agents/support');
  const third = await fire();

  expect(schedule.turn).toEqual(turn);
  expect([first.sent, second.sent]).toEqual(['You help Ada.', 'You greet Ada.']);
  expect((await harness.findTurn(second.last?.turn_id ?? '')).agent?.version).toBe(2);
  expect(third.last).toMatchObject({ turn_id: null, error: { code: 'agent_not_found' } });
});

test('a schedule with an unknown agent or a missing variable is refused', async ({ harness }) => {
  await createAgent(harness, { instructions: 'You help {{customer}}.' });
  const refused = (turn: object) =>
    refusalOf(harness, '/v1/schedules', { every_seconds: 3_600, turn: { input: 'Hi', ...turn } });

  expect(await refused({ agent: 'sales' })).toBe('404 agent_not_found: turn.agent');
  expect(await refused({ agent: 'support' })).toBe('400 missing_field: turn.variables.customer');
});

test('a schedule in a conversation has the agent of the conversation', async ({ harness }) => {
  await createAgent(harness, { instructions: 'You help {{customer}}.' });
  const { id } = await createConversation(harness, { agent: 'support', variables: { customer: 'Ada' } });
  await harness.call('POST', '/v1/schedules', {
    body: { every_seconds: 3_600, conversation_id: id, turn: { input: 'Hi' } },
  });

  await harness.advance(HOUR_MS);
  await harness.fireSchedules();

  expect(await instructionsSent(harness)).toBe('You help Ada.');
});
