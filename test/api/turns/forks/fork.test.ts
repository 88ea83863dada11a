import { sql } from 'kysely';
import { expect } from 'vitest';
import type { TurnResource } from '#core/turn/resource/turn.ts';
import type { Harness } from '#test/harness/create-harness.ts';
import { scripted } from '#test/harness/scripted.ts';
import { dumpTables } from '#test/harness/stores/dump-tables.ts';
import { test } from '#test/harness/test.ts';
import { describeRefusal } from '../../refusals.ts';

const weather = (city: string) => ({ name: 'weather_lookup', arguments: { city } });
const twoRounds = scripted({ rounds: [{ tools: [weather('Rome')] }, { tools: [weather('Oslo')] }], answer: 'Both.' });
const tools = ['weather_lookup'];

function fork(harness: Harness, turnId: string, body?: object, headers = {}) {
  return harness.call<TurnResource>('POST', `/v1/turns/${turnId}/fork`, { body, headers });
}

async function ended(harness: Harness, request: Record<string, unknown> = {}): Promise<TurnResource> {
  const { id } = await harness.startTurn({ input: twoRounds, tools, ...request });
  await harness.workUntilIdle();
  return harness.findTurn(id);
}

function lastSent({ modelRequests }: Harness): { role: string; content: unknown }[] {
  return modelRequests.at(-1)?.body.messages as { role: string; content: unknown }[];
}

test('a fork continues after its round with the history up to that round', async ({ harness }) => {
  const origin = await ended(harness, { instructions: 'Be brief.', priority: 3, metadata: { a: 'b' } });

  const asked = await fork(harness, origin.id, { after_round: 1 });
  await harness.workUntilIdle();
  const first = await harness.findTurn(asked.body.id);
  const forked = await fork(harness, origin.id, {
    after_round: 2,
    input: scripted({ answer: 'Oslo it is.' }),
    metadata: { c: 'd' },
  });
  await harness.workUntilIdle();
  const sent = lastSent(harness).map(({ role }) => role);
  const { body: messages } = await harness.call<{ data: object[] }>(
    'GET',
    `/v1/conversations/${forked.body.conversation_id}/messages?format=openai`,
  );
  const { body: conversation } = await harness.call('GET', `/v1/conversations/${forked.body.conversation_id}`);

  expect([asked.status, asked.headers.get('location')]).toEqual([202, `/v1/turns/${first.id}`]);
  expect(first).toMatchObject({
    status: 'completed',
    input: [],
    output: 'Both.',
    forked_from: origin.id,
    after_round: 1,
    metadata: {},
  });
  expect(first.rounds.map(({ number, tool_calls }) => [number, tool_calls.length])).toEqual([
    [1, 1],
    [2, 0],
  ]);
  expect(first.conversation_id).not.toBe(origin.conversation_id);
  expect(sent).toEqual(['system', 'user', 'assistant', 'tool', 'assistant', 'tool', 'user']);
  expect(messages.data).toHaveLength(8);
  expect(conversation).toMatchObject({
    forked_from: origin.id,
    after_round: 2,
    instructions: 'Be brief.',
    model: 'openai/test',
  });
  expect(await harness.findTurn(forked.body.id)).toMatchObject({
    output: 'Oslo it is.',
    metadata: { c: 'd' },
    rerun_of: null,
  });
  expect(await harness.findTurn(origin.id)).toEqual(origin);
});

test('a fork of an answer requires an input, and a fork at round 0 replaces the turn', async ({ harness }) => {
  const before = await ended(harness, { input: scripted({ answer: 'Hello.' }), tools: [] });
  const path = `/v1/conversations/${before.conversation_id}/turns`;
  const { body: origin } = await harness.call<TurnResource>('POST', path, {
    body: { input: scripted({ answer: 'Yes.' }) },
  });
  await harness.workUntilIdle();

  const behind = await fork(harness, origin.id, { input: scripted({ answer: 'Behind.' }) });
  await harness.workUntilIdle();
  const sentBehind = lastSent(harness).length;
  const inPlace = await fork(harness, origin.id, { after_round: 0, input: scripted({ answer: 'Other.' }) });
  await harness.workUntilIdle();
  const sentInPlace = lastSent(harness);
  const again = await fork(harness, origin.id, { after_round: 0 });
  await harness.workUntilIdle();

  expect(describeRefusal(await fork(harness, origin.id))).toBe('400 input_required: input');
  expect(describeRefusal(await fork(harness, origin.id, { after_round: 2 }))).toBe(
    '409 round_not_finished: after_round',
  );
  expect(describeRefusal(await fork(harness, origin.id, { after_round: -1 }))).toBe('400 invalid_value: after_round');
  expect(describeRefusal(await fork(harness, origin.id, { on_active_turn: 'reject' }))).toBe(
    '400 unknown_field: on_active_turn',
  );
  expect(describeRefusal(await fork(harness, 'turn_none'))).toBe('404 turn_not_found: id');
  expect([sentBehind, behind.body.after_round]).toEqual([5, 1]);
  expect(sentInPlace.map(({ content }) => content)).toEqual([
    before.input[0]?.content,
    'Hello.',
    scripted({ answer: 'Other.' }),
  ]);
  expect(await harness.findTurn(inPlace.body.id)).toMatchObject({ output: 'Other.', after_round: 0 });
  expect(await harness.findTurn(again.body.id)).toMatchObject({ output: 'Yes.', input: [], after_round: 0 });
});

test('a fork inherits the configuration of its turn unless the request sets a field', async ({ harness }) => {
  const pay = { name: 'send_postcard', approval: 'always' };
  const limits = { max_rounds: 7 };
  const origin = await ended(harness, {
    tools: [...tools, pay],
    temperature: 0.3,
    limits,
    fallback_models: ['openai/other'],
  });
  const configOf = async (id: string) =>
    (await harness.call<{ config: Record<string, unknown> }>('GET', `/v1/turns/${id}?include=config`)).body.config;
  const overrides = { model: 'sim/demo', temperature: null, limits: { max_rounds: 2 }, tools: ['note_visit'] };

  const same = await fork(harness, origin.id, { after_round: 1 });
  const other = await fork(harness, origin.id, { after_round: 1, ...overrides });
  const later = await harness.call<TurnResource>('POST', `/v1/conversations/${same.body.conversation_id}/turns`, {
    body: { input: 'Hi' },
  });

  expect(await configOf(same.body.id)).toEqual(await configOf(origin.id));
  expect(await configOf(later.body.id)).toEqual(await configOf(origin.id));
  expect(await harness.findTurn(later.body.id)).toMatchObject({ forked_from: null, after_round: null });
  expect(await configOf(other.body.id)).toMatchObject({
    ...{ model: 'sim/demo', limits: { max_rounds: 2, max_tool_calls: 200 }, fallback_models: ['openai/other'] },
    ...{ sampling: { temperature: null }, tools: [{ name: 'note_visit' }] },
  });
  const unknown = await fork(harness, origin.id, { after_round: 1, tools: ['weather_lookup', 'nothing'] });
  const noModel = await fork(harness, origin.id, { after_round: 1, model: 'nobody/x' });
  expect(describeRefusal(unknown)).toBe('400 unknown_tool: tools[1]');
  expect(describeRefusal(noModel)).toBe('400 provider_not_configured: model');
});

test('a fork of a running turn keeps the answered rounds when the turn continues', async ({ harness }) => {
  const client = { name: 'locate_user', description: 'Asks the device where the user is' };
  const calls = [{ tools: [weather('Rome')] }, { tools: [{ name: 'locate_user', arguments: {}, id: 'call_where' }] }];
  const script = scripted({ rounds: calls, answer: 'Here.' });
  const { id } = await harness.startTurn({ input: script, tools: [...tools, client] });
  const early = await fork(harness, id, { after_round: 0 });
  await harness.workUntilIdle();

  const made = await fork(harness, id, { input: scripted({ answer: 'First.' }) });
  const open = await fork(harness, id, { after_round: 2 });
  await harness.workUntilIdle();
  const sent = lastSent(harness);
  const output = { tool_outputs: [{ tool_call_id: 'call_where', output: 'purple' }] };
  await harness.call('POST', `/v1/turns/${id}/tool_outputs`, { body: output });
  await harness.workUntilIdle();
  const origin = await harness.findTurn(id);
  const next = async () => {
    const path = `/v1/conversations/${made.body.conversation_id}/turns`;
    await harness.call('POST', path, { body: { input: scripted({ answer: 'Next.' }) } });
    await harness.workUntilIdle();
    return lastSent(harness);
  };
  const afterEnd = await next();
  const removed = await harness.call('DELETE', `/v1/turns/${id}`);
  const afterDelete = await next();
  const { body: messages } = await harness.call('GET', `/v1/conversations/${made.body.conversation_id}/messages`);

  expect(describeRefusal(early)).toBe('409 round_not_finished: after_round');
  expect(describeRefusal(open)).toBe('409 round_not_finished: after_round');
  expect(made.body).toMatchObject({ forked_from: id, after_round: 1 });
  expect(origin).toMatchObject({ status: 'completed', output: 'Here.' });
  expect(sent.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user']);
  expect(afterEnd.slice(0, 4)).toEqual(sent);
  expect([removed.status, (await harness.call('GET', `/v1/turns/${id}`)).status]).toEqual([204, 404]);
  expect(afterDelete.slice(0, 6)).toEqual(afterEnd);
  expect(JSON.stringify(messages)).not.toContain('Rome');
  expect(describeRefusal(await fork(harness, id, { after_round: 1 }))).toBe('404 turn_not_found: id');
  expect(await harness.findTurn(made.body.id)).toMatchObject({ forked_from: id, output: 'First.' });
});

test('a failed turn may be retried if forks use its rounds, but not its end', async ({ harness }) => {
  const fails = scripted({ rounds: [{ tools: [weather('Rome')] }, { fault: { kind: 'status', status: 400 } }] });
  const { id, conversation_id } = await harness.startTurn({ input: fails, tools });
  await harness.workUntilIdle();
  const failed = await harness.findTurn(id);
  const path = `/v1/conversations/${conversation_id}/turns`;
  const { body: behind } = await harness.call<TurnResource>('POST', path, {
    body: { input: scripted({ answer: 'Go on.' }) },
  });
  await harness.workUntilIdle();
  const upToRound = await fork(harness, id, { input: scripted({ answer: 'Forked.' }) });
  const retried = await harness.call('POST', `/v1/turns/${id}/retry`);
  const unsettled = await fork(harness, behind.id, { input: 'Hi' });

  await harness.workUntilIdle();
  const onAll = await fork(harness, behind.id, { input: 'Hi' });
  const refused = await harness.call('POST', `/v1/turns/${id}/retry`);

  expect([failed.status, failed.rounds.length]).toEqual(['failed', 1]);
  expect([upToRound.status, retried.status, onAll.status]).toEqual([202, 202, 202]);
  expect(describeRefusal(unsettled)).toBe('409 round_not_finished: after_round');
  expect(describeRefusal(refused)).toBe('409 turn_forked: null');
});

test('a deleted turn keeps the rounds that forks read until the last fork is deleted', async ({ harness }) => {
  const rounds = ['Rome', 'Oslo', 'Bern'].map((city) => ({ tools: [weather(city)] }));
  const origin = await ended(harness, { input: scripted({ rounds, answer: 'purple' }), metadata: { a: 'violet' } });
  const forkedAt = async (body: object) => (await fork(harness, origin.id, body)).body.conversation_id;
  const conversations = [
    await forkedAt({ after_round: 0, input: 'Hi' }),
    await forkedAt({ after_round: 1, input: 'Hi' }),
    await forkedAt({ after_round: 2, input: 'Hi' }),
  ];
  await harness.workUntilIdle();
  const received = lastSent(harness);
  const left = async () => {
    const counted = await sql<{ number: number }>`
      select count(*)::int as number from tool_calls where turn_id = ${origin.id}`.execute(harness.db);
    const kept = await sql`select output, metadata from turns where id = ${origin.id}`.execute(harness.db);
    return [counted.rows[0]?.number, ...kept.rows];
  };

  await harness.call('DELETE', `/v1/turns/${origin.id}`);
  const afterDelete = await left();
  await harness.call('POST', `/v1/conversations/${conversations[2]}/turns`, { body: { input: 'And?' } });
  await harness.workUntilIdle();
  const receivedAgain = lastSent(harness);
  const afterEach = [];
  for (const id of [...conversations].reverse()) {
    await harness.call('DELETE', `/v1/conversations/${id}`);
    afterEach.push(await left());
  }

  const emptied = { output: '', metadata: {} };
  expect(afterDelete).toEqual([2, emptied]);
  expect(receivedAgain.slice(0, received.length)).toEqual(received);
  expect(afterEach).toEqual([[1, emptied], [0, emptied], [0]]);
  expect(await dumpTables(harness.db)).not.toMatch(/Rome|Oslo|Bern|purple|violet/);
});
