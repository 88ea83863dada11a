import OpenAI from 'openai';
import { expect } from 'vitest';
import type { TurnResource } from '#core/turn/resource/turn.ts';
import { createHarness, type Harness } from '#test/harness/create-harness.ts';
import { describeQueue } from '#test/harness/queues.ts';
import { scripted } from '#test/harness/scripted.ts';
import { test } from '../test.ts';
import { openaiClient, raised } from './openai-client.ts';

type Body = Omit<OpenAI.Responses.ResponseCreateParamsNonStreaming, 'model'>;
type Message = { role: string; content: unknown };

const tools = ['get_weather', 'get_time'].map((name) => ({
  ...{ type: 'function' as const, name, description: 'Tells something about a city', strict: null },
  parameters: { type: 'object', properties: { city: { type: 'string' } } },
}));
const asks = (...ids: string[]) =>
  scripted({
    rounds: [{ tools: ids.map((id, index) => ({ name: tools[index]!.name, arguments: { city: 'Rome' }, id })) }],
    answer: 'It is sunny.',
  });
const output = (call_id: string, text = 'Sunny') => ({ type: 'function_call_output' as const, call_id, output: text });

/** Starts responses in the background, runs them, and returns the last request to the model. */
function chaining(harness: Harness) {
  const client = openaiClient(harness);
  const start = (body: Body) => client.responses.create({ model: 'test', background: true, ...body });
  return {
    client,
    start,
    run: async (body: Body) => {
      const { id } = await start(body);
      await harness.workUntilIdle();
      return client.responses.retrieve(id);
    },
    refused: async (body: Body) => raised(start(body)),
    lastSent: () => (harness.modelRequests.at(-1)!.body as { messages: Message[] }).messages,
    conversationOf: async ({ id }: { id: string }) =>
      (await harness.call<TurnResource>('GET', `/v1/turns/${id.replace('resp_', 'turn_')}`)).body.conversation_id,
  };
}

describeQueue(({ redis }) => {
  test('a response that follows the latest response is the next turn of its conversation', async () => {
    await using harness = await createHarness({ redis });
    const { run, lastSent, conversationOf } = chaining(harness);

    const first = await run({ input: 'I am Ada.', instructions: 'Be brief.' });
    const second = await run({ input: 'Who am I?', previous_response_id: first.id });

    expect(second.previous_response_id).toBe(first.id);
    expect(await conversationOf(second)).toBe(await conversationOf(first));
    expect(lastSent()).toMatchObject([
      { role: 'user', content: 'I am Ada.' },
      { role: 'assistant', content: first.output_text },
      { role: 'user', content: 'Who am I?' },
    ]);
  });

  test('several responses may follow the same response, each with its own history', async () => {
    await using harness = await createHarness({ redis });
    const { start, run, client, lastSent, conversationOf } = chaining(harness);
    const first = await run({ input: 'I am Ada.' });

    const branches = await Promise.all(
      ['Left?', 'Right?', 'Up?'].map((input) => start({ input, previous_response_id: first.id })),
    );
    await harness.workUntilIdle();

    const conversations = await Promise.all([first, ...branches].map(conversationOf));
    expect(new Set(conversations).size).toBe(3);
    for (const { id } of branches) expect((await client.responses.retrieve(id)).status).toBe('completed');
    const last = await run({ input: 'And then?', previous_response_id: branches[2]!.id });
    expect(lastSent().map(({ content }) => content)).toEqual([
      ...['I am Ada.', first.output_text, 'Up?'],
      ...[(await client.responses.retrieve(branches[2]!.id)).output_text, 'And then?'],
    ]);
    expect(last.status).toBe('completed');
  });
});

test('a response hands calls over, and accepts their outputs in any order', async ({ harness }) => {
  const { run, lastSent } = chaining(harness);

  const asked = await run({ input: asks('call_a', 'call_b'), tools });
  expect(asked).toMatchObject({ status: 'completed', output_text: '' });
  expect(asked.output.map((item) => item.type === 'function_call' && item.call_id)).toEqual(['call_a', 'call_b']);
  const answered = await run({ input: [output('call_b', 'Noon'), output('call_a')], previous_response_id: asked.id });

  expect(answered).toMatchObject({ status: 'completed', output_text: 'It is sunny.' });
  expect(lastSent().slice(-2)).toMatchObject([
    { role: 'tool', tool_call_id: 'call_a', content: 'Sunny' },
    { role: 'tool', tool_call_id: 'call_b', content: 'Noon' },
  ]);
});

test('outputs that do not match the calls are refused, and the calls stay open', async ({ harness }) => {
  const { run, refused } = chaining(harness);
  const asked = await run({ input: asks('call_a', 'call_b'), tools });
  const previous_response_id = asked.id;

  const missing = await refused({ input: [output('call_a')], previous_response_id });
  expect(missing).toMatchObject({ status: 400, code: 'tool_output_mismatch' });
  expect(missing.message).toContain('No tool output found for function call call_b');
  const twice = [output('call_a'), output('call_a', 'Rain'), output('call_b')];
  expect(await refused({ input: twice, previous_response_id })).toMatchObject({ param: 'input[1].call_id' });
  const alone = await refused({ input: [output('call_z')] });
  expect(alone.message).toContain('No tool call found for function call output with call_id call_z');

  const answered = await run({ input: [output('call_a'), output('call_b')], previous_response_id });
  expect(answered.status).toBe('completed');
  const otherwise = await run({ input: [output('call_a', 'Rain'), output('call_b')], previous_response_id });
  expect(otherwise.status).toBe('completed');
});

test('a response after a running response waits, but a second such response is refused', async ({ harness }) => {
  const { start, refused, client } = chaining(harness);
  const first = await start({ input: 'I am Ada.' });
  const previous_response_id = first.id;

  expect(await refused({ input: [output('call_a')], previous_response_id })).toMatchObject({
    ...{ status: 400, code: 'previous_response_not_finished', param: 'previous_response_id' },
  });
  const next = await start({ input: 'Who am I?', previous_response_id });
  expect(await refused({ input: 'And I?', previous_response_id })).toMatchObject({
    ...{ status: 400, code: 'previous_response_not_finished' },
  });
  expect(next.status).toBe('queued');
  await harness.workUntilIdle();

  expect((await client.responses.retrieve(next.id)).status).toBe('completed');
});

test('an unknown or foreign previous_response_id or conversation is refused', async () => {
  await using harness = await createHarness({ env: { PAWL_API_KEYS: 'alpha:key-a,beta:key-b' } });
  const beta = await openaiClient(harness, '/v1', 'key-b').responses.create({
    model: 'test',
    input: 'Hi',
    background: true,
  });
  const alpha = openaiClient(harness, '/v1', 'key-a');

  for (const id of ['resp_01kagz8m4pfvbte2n5q7rys3wx', 'nonsense', beta.id]) {
    const refused = await raised(alpha.responses.create({ model: 'test', input: 'Hi', previous_response_id: id }));
    expect(refused).toMatchObject({ status: 400, code: 'previous_response_not_found', param: 'previous_response_id' });
    await expect(alpha.responses.retrieve(id)).rejects.toBeInstanceOf(OpenAI.NotFoundError);
  }
  const nowhere = { model: 'test', input: 'Hi', conversation: 'conv_01kagz8m4pfvbte2n5q7rys3wx' };
  expect(await raised(alpha.responses.create(nowhere))).toMatchObject({ status: 404, code: 'conversation_not_found' });
});

test('a conversation of either API is continued, after its running turn', async ({ harness }) => {
  const { start, client, lastSent } = chaining(harness);
  const turn = await harness.startTurn({ input: 'I am Ada.' });

  const next = await start({ input: 'Who am I?', conversation: turn.conversation_id });
  const last = await start({ input: 'And now?', conversation: { id: turn.conversation_id } });
  expect(next).toMatchObject({ status: 'queued', conversation: { id: turn.conversation_id } });
  await harness.workUntilIdle();

  expect((await client.responses.retrieve(last.id)).status).toBe('completed');
  expect(
    lastSent()
      .filter(({ role }) => role === 'user')
      .map(({ content }) => content),
  ).toEqual([...['I am Ada.', 'Who am I?', 'And now?']]);
});

test('an item reference is replaced by its item, unless the history contains it', async ({ harness }) => {
  const { run, refused, lastSent } = chaining(harness);
  const first = await run({ input: 'I am Ada.' });
  const reference = { type: 'item_reference' as const, id: first.output[0]!.id ?? '' };
  const more = { role: 'user' as const, content: 'And?' };

  await run({ input: [reference, more] });
  expect(lastSent()).toMatchObject([{ role: 'assistant', content: first.output_text }, more]);
  await run({ input: [reference, more], previous_response_id: first.id });
  expect(lastSent()).toHaveLength(3);
  const missing = { type: 'item_reference' as const, id: 'msg_nothing' };
  expect(await refused({ input: [more, missing] })).toMatchObject({
    ...{ status: 400, code: 'item_not_found', param: 'input[1].id' },
  });
});
