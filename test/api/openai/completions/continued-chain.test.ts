import { expect } from 'vitest';
import type { ChainResource } from '#core/turn/resource/chain.ts';
import { createHarness, startBackgroundWorker } from '#test/harness/create-harness.ts';
import { describeQueue } from '#test/harness/queues.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { test } from '../test.ts';
import {
  answerOf,
  type Body,
  city,
  clientTool,
  completing,
  type Message,
  scriptedUser,
  startedTurn,
  toolMessage,
  turnIdOf,
  user,
} from './completing.ts';
import { openCompletionStream } from './completion-stream.ts';

const tools = [clientTool('get_weather')];
const asking = scriptedUser({
  rounds: [{ say: 'Wait.', tools: [{ name: 'get_weather', arguments: city, id: 'call_a' }] }],
  answer: 'Sunny.',
});
const hello: Message[] = [{ role: 'system', content: 'Be brief.' }, scriptedUser({ answer: 'Hello, Ada.' })];

describeQueue(({ redis }) => {
  test('a completion that repeats the messages and answer of another continues its turn', async () => {
    await using harness = await createHarness({ redis });
    await using _worker = await startBackgroundWorker(harness);
    const { complete, turnOf, lastSent } = completing(harness);
    const first = await complete({ messages: hello });
    const talk = [...hello, answerOf(first), user('And?')];

    const second = await complete({ messages: talk });
    const third = await complete({ messages: [...talk, answerOf(second), user('And then?')] });

    expect((await turnOf(first)).continues).toBeNull();
    expect((await turnOf(second)).continues).toBe(turnIdOf(first.id));
    expect((await turnOf(third)).continues).toBe(turnIdOf(second.id));
    expect(lastSent().messages).toHaveLength(6);
    const { body: chain } = await harness.call<ChainResource>('GET', `/v1/turns/${turnIdOf(second.id)}/chain`);
    expect(chain.previous?.id).toBe(turnIdOf(first.id));
    expect(chain.continued_by.map(({ id }) => id)).toEqual([turnIdOf(third.id)]);
    expect([chain.next, chain.forks]).toEqual([null, []]);
  });
});

test('a completion that answers tool calls continues their turn', async ({ harness, worker: _ }) => {
  const { complete, turnOf } = completing(harness);
  const first = await complete({ messages: [asking], tools });
  const second = await complete({ messages: [asking, answerOf(first), toolMessage('call_a')], tools });
  const talk = [asking, answerOf(first), toolMessage('call_a'), answerOf(second), user('And?')];
  const third = await complete({ messages: talk, tools });

  expect((await turnOf(second)).continues).toBe(turnIdOf(first.id));
  expect((await turnOf(third)).continues).toBe(turnIdOf(second.id));
});

test('answers continue a turn in each form in which clients send them back', async ({ harness, worker: _ }) => {
  const { complete, turnOf } = completing(harness);
  const first = await complete({ messages: [asking], tools });
  const { content, tool_calls } = first.choices[0]!.message;

  for (const answer of [
    { role: 'assistant', content, tool_calls },
    { role: 'assistant', content: [{ type: 'text', text: content }], tool_calls },
    { role: 'assistant', content, tool_calls, refusal: null, audio: null, annotations: [], name: 'ada' },
  ]) {
    const next = await complete({ messages: [asking, answer, toolMessage('call_a')], tools });
    expect((await turnOf(next)).continues, JSON.stringify(answer)).toBe(turnIdOf(first.id));
  }
});

test('several completions may continue the same turn', async ({ harness, worker: _ }) => {
  const { complete, turnOf } = completing(harness);
  const first = await complete({ messages: hello });

  for (const more of ['And?', 'Or?']) {
    const next = await complete({ messages: [...hello, answerOf(first), user(more)] });
    expect((await turnOf(next)).continues).toBe(turnIdOf(first.id));
  }
});

test('a completion may continue a turn with tools that Pawl ran', async ({ harness, worker: _ }) => {
  const { complete, turnOf } = completing(harness);
  const tool = { name: 'weather_lookup', arguments: city };
  const messages = [scriptedUser({ rounds: [{ say: 'Wait.', tools: [tool] }], answer: 'Sunny.' })];
  const first = await complete({ messages, pawl: { tools: ['weather_lookup'] } });

  const next = await complete({ messages: [...messages, answerOf(first), user('And?')] });

  expect((await turnOf(next)).continues).toBe(turnIdOf(first.id));
});

test.each<[string, (answer: Message) => unknown[]]>([
  ['the answer', () => [...hello, { role: 'assistant', content: 'Hello, Eve.' }, user('And?')]],
  ['a message', (answer) => [{ role: 'system', content: 'Be long.' }, hello[1], answer, user('And?')]],
  ['a role', (answer) => [{ role: 'user', content: 'Be brief.' }, hello[1], answer, user('And?')]],
  ['the order', (answer) => [hello[0], answer, hello[1], user('And?')]],
  ['the end', () => [...hello, user('And?')]],
])('a completion with an edited history is answered, but continues no turn: %s', async (_, edit) => {
  await using harness = await createHarness();
  await using _worker = await startBackgroundWorker(harness);
  const { complete, turnOf, lastSent } = completing(harness);
  const first = await complete({ messages: hello });

  const next = await complete({ messages: edit(answerOf(first)) });

  expect((await turnOf(next)).continues).toBeNull();
  expect(lastSent().messages).toHaveLength(edit(answerOf(first)).length);
});

test('a completion continues no turn if a call has another id, name or arguments', async ({ harness, worker: _ }) => {
  const { complete, turnOf } = completing(harness);
  await complete({ messages: [asking], tools });
  const call = { id: 'call_a', type: 'function', function: { name: 'get_weather', arguments: '{"city":"Rome"}' } };

  for (const edited of [
    { ...call, id: 'call_b' },
    { ...call, function: { ...call.function, name: 'get_time' } },
    { ...call, function: { ...call.function, arguments: '{"city":"Oslo"}' } },
  ]) {
    const answer = { role: 'assistant', content: 'Wait.', tool_calls: [edited] };
    const next = await complete({ messages: [asking, answer, toolMessage(edited.id)], tools });
    expect((await turnOf(next)).continues, JSON.stringify(edited)).toBeNull();
  }
});

test('a completion of another key, project, user or without store is not continued', async () => {
  await using harness = await createHarness({ env: { PAWL_API_KEYS: 'alpha:key-1,alpha:key-2,beta:key-3' } });
  await using _worker = await startBackgroundWorker(harness);
  const [one, two, three] = ['key-1', 'key-2', 'key-3'].map((key) => completing(harness, { key })) as [
    ...[ReturnType<typeof completing>, ReturnType<typeof completing>, ReturnType<typeof completing>],
  ];
  const first = await one.complete({ messages: hello, user: 'ada' });
  const next = { messages: [...hello, answerOf(first), user('And?')], user: 'ada' };
  const continues = async (client: typeof one, body: Body) =>
    (await client.turnOf(await client.complete(body))).continues;

  expect(await continues(one, next)).toBe(turnIdOf(first.id));
  expect(await continues(two, next)).toBeNull();
  expect(await continues(three, next)).toBeNull();
  expect(await continues(one, { ...next, user: 'eve' })).toBeNull();
  expect(await continues(one, { ...next, user: undefined })).toBeNull();
  expect(await continues(one, { ...next, user: 'eve', safety_identifier: 'ada' })).toBe(turnIdOf(first.id));
  const unstored = await one.complete({ messages: [scriptedUser({ answer: 'Gone.' })], store: false });
  const follows = [scriptedUser({ answer: 'Gone.' }), answerOf(unstored), user('And?')];
  expect(await continues(one, { messages: follows })).toBeNull();
});

test('a completion may continue a streamed answer or a function_call', async ({ harness, worker: _ }) => {
  const { complete, completions, turnOf } = completing(harness);
  const functions = [{ name: 'get_weather', parameters: { type: 'object', properties: {} } }];
  const messages = [asking];

  const streamed = await completions.stream({ model: 'test', messages: hello }).finalChatCompletion();
  const next = await complete({ messages: [...hello, answerOf(streamed), user('And?')] });
  const called = await complete({ messages, functions });
  const result = { role: 'function', name: 'get_weather', content: 'Sunny' };
  const answered = await complete({ messages: [...messages, answerOf(called), result], functions });

  expect((await turnOf(next)).continues).toBe(turnIdOf(streamed.id));
  expect((await turnOf(answered)).continues).toBe(turnIdOf(called.id));
});

test.each([
  ['is retrieved', (id: string) => `/v1/chat/completions/${id}`],
  ['is waited for', (id: string) => `/v1/chat/completions/${id}?wait=5`],
  ['is listed', () => '/v1/chat/completions'],
])('an answer that %s after its client left is continued', async (_, pathOf) => {
  await using harness = await createHarness({ env: { PAWL_MAX_STREAMS: '1' } });
  const { complete, turnOf } = completing(harness);
  const headers = { 'pawl-on-disconnect': 'continue' };
  const stream = await openCompletionStream(harness, { body: { messages: hello, store: true }, headers });
  stream.leave();
  await stream.over;
  const id = await startedTurn(harness);
  await waitUntil(async () => (await harness.call('GET', `/v1/turns/${id}?wait=0.001`)).status === 200);
  await harness.workUntilIdle();

  const { status } = await harness.call('GET', pathOf(id.replace('turn_', 'chatcmpl-')));
  await using _worker = await startBackgroundWorker(harness);
  const answer: Message = { role: 'assistant', content: 'Hello, Ada.' };
  const next = await complete({ messages: [...hello, answer, user('And?')] });

  expect(status).toBe(200);
  expect((await turnOf(next)).continues).toBe(id);
});

test('a completion does not continue a deleted turn', async ({ harness, worker: _ }) => {
  const { complete, completions, turnOf } = completing(harness);
  const first = await complete({ messages: hello });
  await completions.delete(first.id);

  const next = await complete({ messages: [...hello, answerOf(first), user('And?')] });

  expect((await turnOf(next)).continues).toBeNull();
});

test('a turn of the native API does not continue another turn', async ({ harness }) => {
  const turn = await harness.startTurn({ input: 'Hi' });

  expect(turn).toMatchObject({ continues: null });
});
