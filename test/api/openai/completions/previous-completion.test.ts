import { expect } from 'vitest';
import { createHarness, startBackgroundWorker } from '#test/harness/create-harness.ts';
import { describeQueue } from '#test/harness/queues.ts';
import { open as openWires, wires } from '../responses/reasoning-wires.ts';
import { test } from '../test.ts';
import { type Body, city, clientTool, completing, scriptedUser, toolMessage, user } from './completing.ts';

const tools = ['get_weather', 'get_time'].map(clientTool);
const asking = scriptedUser({
  rounds: [
    {
      tools: [
        { name: 'get_weather', arguments: city, id: 'call_a' },
        { name: 'get_time', arguments: city, id: 'call_b' },
      ],
    },
  ],
  answer: '{{results}}',
});
const after = ({ id }: { id: string }, more: object = {}) => ({ pawl: { previous_completion_id: id, ...more } });

describeQueue(({ redis }) => {
  test('a completion with previous_completion_id continues the same conversation', async () => {
    await using harness = await createHarness({ redis });
    await using _worker = await startBackgroundWorker(harness);
    const { complete, lastSent, turnOf } = completing(harness);

    const first = await complete({ messages: [{ role: 'system', content: 'Be brief.' }, user('I am Ada.')] });
    const second = await complete({ messages: [user('Who am I?')], ...after(first) });

    const [one, other] = [await turnOf(first), await turnOf(second)];
    expect(other.conversation_id).toBe(one.conversation_id);
    expect(lastSent().messages).toMatchObject([
      { role: 'user', content: 'I am Ada.' },
      { role: 'assistant', content: first.choices[0]?.message.content },
      { role: 'user', content: 'Who am I?' },
    ]);
    expect(lastSent().messages).toHaveLength(3);
  });
});

test('two completions with the same previous completion are separate forks', async ({ harness, worker: _ }) => {
  const { complete, lastSent, turnOf } = completing(harness);
  const first = await complete({ messages: [user('I am Ada.')] });

  const left = await complete({ messages: [user('Left?')], ...after(first) });
  const right = await complete({ messages: [user('Right?')], ...after(first) });

  const [one, two] = [await turnOf(left), await turnOf(right)];
  expect(one.conversation_id).not.toBe(two.conversation_id);
  expect(lastSent().messages.flatMap(({ role, content }) => (role === 'user' ? [content] : []))).toEqual([
    ...['I am Ada.', 'Right?'],
  ]);
});

test('tool messages after previous_completion_id answer all calls in any order', async ({ harness, worker: _ }) => {
  const { complete, refused } = completing(harness);
  const first = await complete({ messages: [asking], tools });

  const missing = await refused({ messages: [toolMessage('call_a')], tools, ...after(first) });
  const unknown = await refused({ messages: [toolMessage('call_z')], tools, ...after(first) });
  const next = await complete({
    messages: [toolMessage('call_b', 'Noon'), toolMessage('call_a')],
    tools,
    ...after(first),
  });

  expect(missing).toMatchObject({ status: 400, code: 'tool_output_mismatch' });
  expect(missing.message).toContain('No tool output found for function call call_b');
  expect(unknown.message).toContain('No tool call found for function call output with call_id call_z');
  expect(next.choices[0]?.message.content).toBe('Sunny\nNoon');
});

test('a completion without messages is refused while calls are open', async ({ harness, worker: _ }) => {
  const { complete, refused } = completing(harness);
  const first = await complete({ messages: [asking], tools });

  const error = await refused({ messages: [], tools, ...after(first) });

  expect(error).toMatchObject({ status: 400 });
});

test.each([['chatcmpl-01kagz8m4pfvbte2n5q7rys3wx'], ['nonsense'], ['']])(
  'an unknown previous_completion_id is refused: %s',
  async (id) => {
    await using harness = await createHarness();

    const error = await completing(harness).refused({ messages: [user('Hi')], ...after({ id }) });

    expect(error).toMatchObject({ status: 400, param: 'pawl.previous_completion_id', type: 'invalid_request_error' });
  },
);

test('a function message after previous_completion_id is refused', async ({ harness, worker: _ }) => {
  const { complete, refused } = completing(harness);
  const functions = [{ name: 'get_weather', parameters: { type: 'object', properties: {} } }];
  const first = await complete({
    messages: [scriptedUser({ rounds: [{ tools: [{ name: 'get_weather' }] }] })],
    functions,
  });

  const error = await refused({
    ...{ messages: [{ role: 'function', name: 'get_weather', content: 'Sunny' }], functions, ...after(first) },
  });

  expect(error.status).toBe(400);
  expect(error.param).toMatch(/^messages\[0\]/);
});

test('a completion may follow a response, and a response a completion', async ({ harness, worker: _ }) => {
  const { complete, client, lastSent } = completing(harness);
  const response = await client.responses.create({ model: 'test', input: 'I am Ada.' });

  const completion = await complete({
    ...{ messages: [user('Who am I?')], ...after({ id: response.id.replace('resp_', 'chatcmpl-') }) },
  });
  const previous_response_id = completion.id.replace('chatcmpl-', 'resp_');
  await client.responses.create({ model: 'test', input: 'Am I sure?', previous_response_id });

  expect(lastSent().messages.flatMap(({ role, content }) => (role === 'user' ? [content] : []))).toEqual([
    ...['I am Ada.', 'Who am I?', 'Am I sure?'],
  ]);
});

test.for(wires)('the model gets its reasoning state back after previous_completion_id, with $name', async (wire) => {
  await using opened = await openWires();
  const { server, client } = opened;
  const locate = { type: 'function' as const, function: { name: 'locate', parameters: {} } };
  const create = (body: Body) =>
    client.chat.completions.create({ model: wire.model, tools: [locate], ...body } as never) as Promise<{ id: string }>;

  server.answer({ body: wire.asks });
  const asked = await create({ messages: [user('Where?')] });
  server.answer({ body: wire.says });
  const done = await create({ messages: [toolMessage('call_0', 'Rome')], ...after(asked) });
  const second = JSON.stringify(server.asked.at(-1)?.body);
  await create({ messages: [user('And?')], ...after(done) });
  const third = JSON.stringify(server.asked.at(-1)?.body);

  expect(wire.signed.map((state) => second.includes(state))).toEqual([true, false]);
  expect(wire.signed.map((state) => third.includes(state))).toEqual([true, true]);
});
