import { expect } from 'vitest';
import type { TurnResource } from '#core/turn/resource/turn.ts';
import { type Harness, workUntilEnded } from '#test/harness/create-harness.ts';
import { scripted } from '#test/harness/scripted.ts';
import { test } from '#test/harness/test.ts';

const call = (id: string, city: string) => ({ name: 'weather_lookup', arguments: { city }, id });
const twoRounds = scripted({
  rounds: [
    { say: 'Let me check…', tools: [call('call_a', 'Tokyo'), call('call_b', 'Kyoto')] },
    { tools: [call('call_c', 'Osaka')] },
  ],
  answer: 'Sunny everywhere.',
});
const weather = (city: string) => JSON.stringify({ city, temp: 22, condition: 'sunny' });
const wireCall = (id: string, city: string) => ({
  ...{ id, type: 'function' },
  function: { name: 'weather_lookup', arguments: JSON.stringify({ city }) },
});

type Listed = { data: Record<string, unknown>[]; system?: string | null };

async function open(harness: Harness, config: object = {}) {
  const standing = { model: 'openai/test', tools: ['weather_lookup'], ...config };
  const { body } = await harness.call('POST', '/v1/conversations', { body: standing });
  const path = `/v1/conversations/${body.id}`;
  return {
    path,
    say: async (input: string, more: object = {}) =>
      (await harness.call<TurnResource>('POST', `${path}/turns`, { body: { input, ...more } })).body,
    messages: async (format?: string) => {
      const query = format ? `?format=${format}` : '';
      const answer = await harness.call<Listed>('GET', `${path}/messages${query}`);
      expect(answer).toMatchObject({ status: 200, body: { object: 'list', has_more: false, next_cursor: null } });
      return answer.body.data;
    },
  };
}

test('a second turn sends the first turn: text, calls, results in order, final text', async ({ harness }) => {
  const { say } = await open(harness, { instructions: 'Be brief.' });

  await say(twoRounds);
  await harness.workUntilIdle();
  await say('And tomorrow?', { tools: [] });
  await harness.workUntilIdle();

  expect(harness.modelRequests.at(-1)?.body.messages).toEqual([
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: twoRounds },
    {
      ...{ role: 'assistant', content: 'Let me check…' },
      tool_calls: [wireCall('call_a', 'Tokyo'), wireCall('call_b', 'Kyoto')],
    },
    { role: 'tool', tool_call_id: 'call_a', content: weather('Tokyo') },
    { role: 'tool', tool_call_id: 'call_b', content: weather('Kyoto') },
    expect.objectContaining({ role: 'assistant', tool_calls: [wireCall('call_c', 'Osaka')] }),
    { role: 'tool', tool_call_id: 'call_c', content: weather('Osaka') },
    { role: 'assistant', content: 'Sunny everywhere.' },
    { role: 'user', content: 'And tomorrow?' },
  ]);
});

test('compact messages contain the final text once, after its rounds', async ({ harness }) => {
  const { say, messages } = await open(harness);

  const turn = await say(twoRounds);
  await harness.workUntilIdle();
  const { rounds, created_at } = await harness.findTurn(turn.id);

  expect(await messages()).toEqual([
    { role: 'user', content: twoRounds, turn_id: turn.id, created_at },
    {
      ...{ role: 'assistant', content: 'Sunny everywhere.', turn_id: turn.id, created_at: expect.any(String) },
      rounds: rounds.slice(0, 2),
    },
  ]);
  expect(await messages('compact')).toEqual(await messages());
});

test('a plain answer has no rounds in its compact message', async ({ harness }) => {
  const { say, messages } = await open(harness);

  await say(scripted({ answer: 'Hello.' }));
  await harness.workUntilIdle();

  const [, answer] = await messages();
  expect(answer).toMatchObject({ role: 'assistant', content: 'Hello.' });
  expect(answer).not.toHaveProperty('rounds');
});

test('each text, call and result is a separate message in OpenAI’s format', async ({ harness }) => {
  const { say, messages } = await open(harness);

  await say(twoRounds);
  await harness.workUntilIdle();

  expect(await messages('openai')).toEqual([
    { role: 'user', content: twoRounds },
    { role: 'assistant', content: 'Let me check…' },
    { role: 'assistant', tool_calls: [wireCall('call_a', 'Tokyo'), wireCall('call_b', 'Kyoto')] },
    { role: 'tool', tool_call_id: 'call_a', content: weather('Tokyo') },
    { role: 'tool', tool_call_id: 'call_b', content: weather('Kyoto') },
    { role: 'assistant', tool_calls: [wireCall('call_c', 'Osaka')] },
    { role: 'tool', tool_call_id: 'call_c', content: weather('Osaka') },
    { role: 'assistant', content: 'Sunny everywhere.' },
  ]);
});

test.for([
  { format: 'anthropic', system: 'Be brief.', roles: 'user assistant assistant user assistant user assistant' },
  { format: 'gemini', system: 'Be brief.', roles: 'user model model function model function model' },
  {
    format: 'openai',
    system: undefined,
    roles: 'system user assistant assistant tool tool assistant tool assistant',
  },
])('messages in the $format format have the system prompt at its position', async (wire, { harness }) => {
  const { say, path } = await open(harness, { instructions: 'Be brief.' });

  await say(twoRounds);
  await harness.workUntilIdle();
  const { status, body } = await harness.call<Listed>('GET', `${path}/messages?format=${wire.format}`);

  expect(status).toBe(200);
  expect(body.system).toBe(wire.system);
  expect(body.data.map(({ role }) => role).join(' ')).toBe(wire.roles);
});

test('messages in an unknown format are refused, with the names of the formats', async ({ harness }) => {
  const { path } = await open(harness);

  const { status, body } = await harness.call('GET', `${path}/messages?format=cohere`);

  expect(status).toBe(400);
  expect(body).toMatchObject({ error: { param: 'format', message: expect.stringContaining('gemini') } });
});

test('a failed turn keeps its input and its committed rounds in the history', async ({ harness }) => {
  const { say, messages } = await open(harness);
  const failing = scripted({
    rounds: [{ say: 'Wait.', tools: [call('call_a', 'Tokyo')] }],
    final: { fault: { kind: 'status', status: 401 } },
  });

  const { id } = await say(failing);
  const failed = await workUntilEnded(harness, id);
  await say('Go on.', { tools: [] });
  await harness.workUntilIdle();

  expect(failed.status).toBe('failed');
  expect(harness.modelRequests.at(-1)?.body.messages).toMatchObject([
    { role: 'user', content: failing },
    { role: 'assistant', content: 'Wait.', tool_calls: [{ id: 'call_a' }] },
    { role: 'tool', tool_call_id: 'call_a', content: weather('Tokyo') },
    { role: 'user', content: 'Go on.' },
  ]);
  expect((await messages())[1]).toMatchObject({ role: 'assistant', content: null, rounds: [{ number: 1 }] });
});

test('a turn cancelled before its batch ran has a history that each model accepts', async ({ harness }) => {
  const { say } = await open(harness);

  const { id } = await say(twoRounds);
  await harness.workOnce();
  await harness.call('POST', `/v1/turns/${id}/cancel`);
  const next = await say('Go on.', { tools: [] });
  await harness.workUntilIdle();

  expect((await harness.findTurn(next.id)).status).toBe('completed');
  expect(harness.modelRequests.at(-1)?.body.messages).toMatchObject([
    { role: 'user' },
    { role: 'assistant', tool_calls: [{ id: 'call_a' }, { id: 'call_b' }] },
    { role: 'tool', tool_call_id: 'call_a', content: expect.stringContaining('Tool execution failed (cancelled)') },
    { role: 'tool', tool_call_id: 'call_b', content: expect.stringContaining('Tool execution failed (cancelled)') },
    { role: 'user', content: 'Go on.' },
  ]);
});

test('a turn cancelled while queued is not in the history', async ({ harness }) => {
  const { say, messages } = await open(harness);

  const { id } = await say('Never mind.');
  await harness.call('POST', `/v1/turns/${id}/cancel`);
  await say('Hello.', { tools: [] });
  await harness.workUntilIdle();

  expect(harness.modelRequests.map(({ body }) => body.messages)).toEqual([[{ role: 'user', content: 'Hello.' }]]);
  expect((await messages()).map(({ role, content }) => [role, content])).toEqual([
    ['user', 'Hello.'],
    ['assistant', expect.any(String)],
  ]);
});

test('an incomplete turn keeps its partial answer in the history', async ({ harness }) => {
  const { say } = await open(harness);

  await say(scripted({ answer: 'Half of a sen', final: { finish_reason: 'length' } }));
  await harness.workUntilIdle();
  await say('Go on.');
  await harness.workOnce();

  expect(harness.modelRequests.at(-1)?.body.messages).toMatchObject([
    { role: 'user' },
    { role: 'assistant', content: 'Half of a sen' },
    { role: 'user', content: 'Go on.' },
  ]);
});
