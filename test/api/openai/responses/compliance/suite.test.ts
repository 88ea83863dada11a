import { expect } from 'vitest';
import { createHarness, startBackgroundWorker } from '#test/harness/create-harness.ts';
import { describeQueue } from '#test/harness/queues.ts';
import { scripted } from '#test/harness/scripted.ts';
import { test } from '../../test.ts';
import { responsesOf } from './ask.ts';

/*
 * The cases of the Open Responses compliance suite, with a scripted model: basic text, streaming, system prompt, tool
 * calling, image input, multi-turn, compaction, a compacted history. `responsesOf` checks the shape of every answer.
 */

type Role = 'user' | 'system' | 'developer' | 'assistant';
const message = (role: Role, content: unknown) => ({ type: 'message', role, content });
const image = { type: 'input_image', image_url: 'data:image/png;base64,iVBORw0KGgo=' };
const hello = scripted({ answer: 'Hello there, friend.' });
const asksForWeather = scripted({
  rounds: [{ tools: [{ name: 'get_weather', arguments: { location: 'Lisbon' }, id: 'call_1' }] }],
  answer: 'It is sunny.',
});
const getWeather = {
  ...{ type: 'function', name: 'get_weather', description: 'Get the current weather for a location' },
  parameters: { type: 'object', properties: { location: { type: 'string' } }, required: ['location'] },
};
const callOfWeather = {
  type: 'function_call',
  name: 'get_weather',
  call_id: 'call_1',
  arguments: '{"location":"Lisbon"}',
};

describeQueue(({ redis }) => {
  test.each(['/v1', '/openai/v1'] as const)(
    'requests of the suite under %s are answered in their exact shape',
    async (base) => {
      await using harness = await createHarness({ redis });
      await using _worker = await startBackgroundWorker(harness);
      const { create, stream, follow } = responsesOf(harness, base);
      const says = (text: string) => ({ status: 'completed', output: [{ type: 'message', content: [{ text }] }] });

      expect(await create({ input: [message('user', hello)] })).toMatchObject(says('Hello there, friend.'));
      const streamed = await stream({ input: [message('user', hello)] });
      expect(streamed.response).toMatchObject(says('Hello there, friend.'));
      expect(await follow(streamed.response.id)).toHaveLength(streamed.events.length);
      const prompted = [message('system', 'You are a pirate.'), message('user', hello)];
      expect(await create({ input: prompted })).toMatchObject(says('Hello there, friend.'));
      expect(JSON.stringify(harness.modelRequests.at(-1))).toContain('You are a pirate.');
      const seeing = [message('user', [{ type: 'input_text', text: hello }, image])];
      expect(await create({ input: seeing })).toMatchObject(says('Hello there, friend.'));
      expect(JSON.stringify(harness.modelRequests.at(-1))).toContain(image.image_url);
      const turns = [message('user', 'I am Alice.'), message('assistant', 'Hello Alice!'), message('user', hello)];
      expect(await create({ input: turns })).toMatchObject(says('Hello there, friend.'));
      expect(JSON.stringify(harness.modelRequests.at(-1))).toContain('Hello Alice!');
    },
  );

  test('a function call is answered by its output, as JSON and in a stream', async () => {
    await using harness = await createHarness({ redis });
    await using _worker = await startBackgroundWorker(harness);
    const { create, stream } = responsesOf(harness);
    const input = [message('user', asksForWeather)];

    const called = await create({ input, tools: [getWeather] });
    const { events, response } = await stream({ input, tools: [getWeather] });
    const output = { type: 'function_call_output', call_id: 'call_1', output: '{"temperature":20}' };
    const resent = await create({ input: [...input, ...called.output, output] });
    const chained = await create({ input: [output], previous_response_id: response.id, tools: [getWeather] });

    for (const { output } of [called, response]) expect(output).toMatchObject([callOfWeather]);
    expect(called.tools).toEqual([{ ...getWeather, strict: null }]);
    expect(events.slice(-5).map(({ type }) => type)).toEqual([
      'response.output_item.added',
      'response.function_call_arguments.delta',
      'response.function_call_arguments.done',
      'response.output_item.done',
      'response.completed',
    ]);
    for (const { output } of [resent, chained]) expect(output).toMatchObject([{ content: [{ text: 'It is sunny.' }] }]);
  });
});

test.for(['/v1', '/openai/v1'] as const)(
  'a history is compacted under %s, and accepted as an input',
  async (base, { harness, worker: _ }) => {
    const { create, compact } = responsesOf(harness, base);
    const history = [
      ...[message('system', 'You are a pirate.'), message('user', 'I am Alice.'), message('assistant', 'Hello Alice!')],
      message('user', [{ type: 'input_text', text: 'What is this?' }, image]),
    ];

    const compacted = await compact({ input: history });
    const next = await create({ input: [...compacted.output, message('user', hello)] });

    expect(compacted.output.map(({ type }) => type)).toEqual(['message', 'message', 'compaction']);
    expect(next).toMatchObject({ status: 'completed', output: [{ content: [{ text: 'Hello there, friend.' }] }] });
  },
);

test('a response shows all fields of its request in the shape of Open Responses', async ({ harness, worker: _ }) => {
  const { create } = responsesOf(harness);
  const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
  const asked = {
    ...{ instructions: 'Be brief.', temperature: 0.2, top_p: 0.5, presence_penalty: 0.1, frequency_penalty: 0.1 },
    ...{ max_output_tokens: 100, max_tool_calls: 3, parallel_tool_calls: false, metadata: { order: '17' } },
    ...{ safety_identifier: 'a', prompt_cache_key: 'b', user: 'c', reasoning: { effort: 'low', summary: 'auto' } },
  };

  const response = await create({
    ...{
      input: scripted({ answer: '{"city":"Rome"}' }),
      ...asked,
      tools: [getWeather, { type: 'custom', name: 'patch' }],
    },
    tool_choice: { type: 'function', name: 'get_weather' },
    text: { format: { type: 'json_schema', name: 'place', schema }, verbosity: 'low' },
  });

  expect(response).toMatchObject({
    ...asked,
    tool_choice: { type: 'function', name: 'get_weather' },
    text: {
      format: { type: 'json_schema', name: 'place', schema, strict: false, description: null },
      verbosity: 'low',
    },
  });
});

test('a native turn has the same shape as a response', async ({ harness }) => {
  const { retrieve, follow } = responsesOf(harness);
  const { id } = await harness.startTurn({
    input: scripted({ rounds: [{ tools: [{ name: 'weather_lookup', arguments: { city: 'Rome' } }] }], answer: '{}' }),
    tools: ['weather_lookup'],
  });
  await harness.workUntilIdle();
  const responseId = id.replace('turn_', 'resp_');

  const shown = await retrieve(responseId);

  expect(shown.output.map(({ type }) => type)).toEqual(['mcp_call', 'message']);
  expect((await follow(responseId)).at(-1)).toMatchObject({ response: shown });
});
