import {
  Agent,
  MemorySession,
  ModelRefusalError,
  type Runner,
  RunState,
  tool,
  user,
  webSearchTool,
} from '@openai/agents';
import { expect } from 'vitest';
import { z } from 'zod';
import { createHarness, type Harness, startBackgroundWorker } from '#test/harness/create-harness.ts';
import { describeQueue } from '#test/harness/queues.ts';
import { scripted } from '#test/harness/scripted.ts';
import { test } from '../../test.ts';
import { openaiClient, raised } from '../openai-client.ts';
import { agentsRunner } from './agents-runner.ts';
import { gather } from './gather.ts';

const parameters = z.object({ city: z.string() });
const weather = tool({
  ...{ name: 'get_weather', description: 'Tells the weather', parameters },
  execute: async ({ city }) => `Sunny in ${city}`,
});
const time = tool({
  ...{ name: 'get_time', description: 'Tells the time', parameters },
  execute: async ({ city }) => ({ city, hour: 12 }),
});
const guide = new Agent({ name: 'Guide', instructions: 'Be brief.', tools: [weather, time] });
const plain = new Agent({ name: 'Plain' });

const asks = (name: string, city: string) => ({ name, arguments: { city } });
const twoRounds = scripted({
  rounds: [
    { say: 'Let me see.', tools: [asks('get_weather', 'Rome'), asks('get_time', 'Oslo')] },
    { tools: [asks('get_time', 'Rome')] },
  ],
  answer: 'It says: {{results}}',
});
const results = ['Sunny in Rome', '{"city":"Oslo","hour":12}', '{"city":"Rome","hour":12}'];
const answered = `It says: ${results.join('\n')}`;
/** The history of the third round, as the provider receives it. */
const history = [
  { role: 'user' },
  { role: 'assistant', content: 'Let me see.', tool_calls: [{}, {}] },
  ...results.slice(0, 2).map((content) => ({ role: 'tool', content })),
  { role: 'assistant', tool_calls: [{}] },
  { role: 'tool', content: results[2] },
];

const lastSent = ({ modelRequests }: Harness) =>
  modelRequests.at(-1)!.body.messages.filter(({ role }) => role !== 'system');

describeQueue(({ redis }) => {
  const queueTest = test.extend('options', () => ({ redis }));

  queueTest('an agent runs its tools until it answers, with and without a stream', async ({ harness, worker: _ }) => {
    const runner = agentsRunner(harness);

    const ran = await runner.run(guide, twoRounds);
    expect(lastSent(harness)).toMatchObject(history);
    const streaming = await runner.run(guide, twoRounds, { stream: true });
    const events = await gather(streaming);
    await streaming.completed;

    const texts = events.flatMap((event) =>
      event.type === 'raw_model_stream_event' && event.data.type === 'output_text_delta' ? [event.data.delta] : [],
    );
    const items = events.flatMap((event) => (event.type === 'run_item_stream_event' ? [event.name] : []));
    const calls = ['tool_called', 'tool_called', 'tool_output', 'tool_output', 'tool_called', 'tool_output'];
    expect(ran.finalOutput).toBe(answered);
    expect(streaming.finalOutput).toBe(answered);
    expect(texts.join('')).toBe(`Let me see.${answered}`);
    expect(items).toEqual(['message_output_created', ...calls, 'message_output_created']);
    expect(lastSent(harness)).toMatchObject(history);
    const stored = await openaiClient(harness).responses.retrieve(ran.lastResponseId!);
    expect(stored).toMatchObject({ status: 'completed', output_text: answered, instructions: 'Be brief.' });
  });

  queueTest(
    'an agent hands over to another agent with its own instructions and tools',
    async ({ harness, worker: _ }) => {
      const cook = new Agent({ name: 'Cook', instructions: 'You cook.', tools: [time] });
      const host = Agent.create({ name: 'Host', instructions: 'You host.', handoffs: [cook] });
      const rounds = [{ tools: [{ name: 'transfer_to_Cook', arguments: {} }] }, { tools: [asks('get_time', 'Oslo')] }];

      const ran = await agentsRunner(harness).run(host, scripted({ rounds, answer: 'Served.' }));

      expect(ran.finalOutput).toBe('Served.');
      expect(ran.lastAgent?.name).toBe('Cook');
      expect(harness.modelRequests.map(({ body }) => body)).toMatchObject([
        { messages: [{ content: 'You host.' }, {}], tools: [{ function: { name: 'transfer_to_Cook' } }] },
        { messages: [{ content: 'You cook.' }, {}, {}, {}], tools: [{ function: { name: 'get_time' } }] },
        { messages: [{ content: 'You cook.' }, {}, {}, {}, {}, {}] },
      ]);
    },
  );
});

test('an output type of an agent becomes a schema for the model, also beside tools', async ({ harness, worker: _ }) => {
  const outputType = z.object({ name: z.string(), age: z.number().nullable() });
  const clerk = new Agent({ name: 'Clerk', tools: [time], outputType });
  const script = scripted({ rounds: [{ tools: [asks('get_time', 'Rome')] }], answer: '{"name":"Ada","age":36}' });

  const ran = await agentsRunner(harness).run(clerk, script);

  expect(ran.finalOutput).toEqual({ name: 'Ada', age: 36 });
  expect(harness.modelRequests.at(-1)!.body.response_format).toMatchObject({
    type: 'json_schema',
    json_schema: { strict: true, schema: { required: ['name', 'age'] } },
  });
});

/** Ways to continue an earlier run, each with the input and options of the second run. */
const continuations = {
  'the id of the last response': async (runner: Runner) => {
    const first = await runner.run(plain, 'I am Ada.');
    return { input: twoRounds, options: { previousResponseId: first.lastResponseId! } };
  },
  'a conversation of Pawl’s': async (runner: Runner, harness: Harness) => {
    const { body } = await harness.call<{ id: string }>('POST', '/v1/conversations', { body: {} });
    await runner.run(plain, 'I am Ada.', { conversationId: body.id });
    return { input: twoRounds, options: { conversationId: body.id } };
  },
  'a session in memory': async (runner: Runner) => {
    const session = new MemorySession();
    await runner.run(plain, 'I am Ada.', { session });
    return { input: twoRounds, options: { session } };
  },
  'the history of the run': async (runner: Runner) => {
    const { history } = await runner.run(plain, 'I am Ada.');
    return { input: [...history, user(twoRounds)], options: {} };
  },
};

test.each(Object.entries(continuations))('a run continues by %s', async (_, begin) => {
  await using harness = await createHarness();
  await using _worker = await startBackgroundWorker(harness);
  const runner = agentsRunner(harness);

  const { input, options } = await begin(runner, harness);
  const ran = await runner.run(guide, input, options);

  expect(ran.finalOutput).toBe(answered);
  expect(lastSent(harness)).toMatchObject([{ content: 'I am Ada.' }, { role: 'assistant' }, ...history]);
});

test('a call that needs approval waits in the run’s state, and runs or is rejected', async ({ harness, worker: _ }) => {
  const runner = agentsRunner(harness);
  const pay = tool({
    ...{ name: 'pay', description: 'Pays', parameters: z.object({}), needsApproval: true },
    execute: async () => 'Paid.',
  });
  const clerk = new Agent({ name: 'Clerk', tools: [pay] });
  const script = scripted({ rounds: [{ tools: [{ name: 'pay', arguments: {} }] }], answer: '{{results}}' });

  const waiting = await runner.run(clerk, script);
  const kept = waiting.state.toString();
  const decide = async (decision: 'approve' | 'reject') => {
    const state = await RunState.fromString(clerk, kept);
    state[decision](state.getInterruptions()[0]!);
    return (await runner.run(clerk, state)).finalOutput;
  };

  expect(waiting.interruptions).toHaveLength(1);
  expect(await decide('approve')).toBe('Paid.');
  expect(await decide('reject')).toMatch(/not approved/);
});

test('an agent may be a tool of another agent, and its settings reach the model', async ({ harness, worker: _ }) => {
  const runner = agentsRunner(harness);
  const ask = plain.asTool({ toolName: 'ask', toolDescription: 'Asks', runOptions: {}, runConfig: runner.config });
  const host = new Agent({
    ...{ name: 'Host', model: 'gpt-5', tools: [ask] },
    modelSettings: {
      ...{ temperature: 0.2, topP: 0.9, maxTokens: 500, parallelToolCalls: false, truncation: 'disabled' },
      ...{ reasoning: { effort: 'low', summary: 'auto' }, text: { verbosity: 'low' }, store: false },
    },
  });
  const tools = [{ name: 'ask', arguments: { input: 'Hello' } }];

  const ran = await runner.run(host, scripted({ rounds: [{ reasoning: 'Ask.', tools }], answer: '{{results}}' }));

  expect(ran.finalOutput).toBe('You said: "Hello".');
  expect(ran.newItems[0]).toMatchObject({ type: 'reasoning_item', rawItem: { content: [{ text: 'Ask.' }] } });
  expect(harness.modelRequests[0]!.body).toMatchObject({
    ...{ model: 'gpt-5', temperature: 0.2, top_p: 0.9, max_completion_tokens: 500, parallel_tool_calls: false },
    ...{ reasoning_effort: 'low', verbosity: 'low' },
  });
});

test('images and files of an agent reach the model', async ({ harness, worker: _ }) => {
  await agentsRunner(harness).run(plain, [
    {
      role: 'user',
      content: [
        { type: 'input_text', text: 'What is this?' },
        { type: 'input_image', image: 'data:image/png;base64,iVBORw0KGgo=' },
        { type: 'input_file', file: 'data:application/pdf;base64,JVBERi0=', filename: 'a.pdf' },
      ],
    },
  ]);

  expect(lastSent(harness)[0]!.content).toMatchObject([
    { text: 'What is this?' },
    { image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } },
    { file: { filename: 'a.pdf' } },
  ]);
});

test('an agent distinguishes a failure, a model refusal and a refusal by Pawl', async ({ harness, worker: _ }) => {
  const runner = agentsRunner(harness);
  const fault = scripted({ answer: 'Never.', final: { fault: { kind: 'status', status: 400 } } });
  const searching = new Agent({ name: 'Searching', tools: [webSearchTool()] });

  const failed = await raised(runner.run(plain, fault));
  const refused = await raised(runner.run(searching, 'Search.'));

  expect(failed).toMatchObject({ status: 400, code: 'provider_invalid_request' });
  expect(refused).toMatchObject({ status: 400, code: 'unsupported_tool', param: 'tools[0].type' });
  await expect(runner.run(plain, scripted({ rounds: [{ refusal: 'I cannot.' }] }))).rejects.toThrow(ModelRefusalError);
});
