import { Agent, MemorySession, OpenAIChatCompletionsModel, OpenAIProvider, Runner, tool } from '@openai/agents';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { gather } from '../api/openai/responses/clients/gather.ts';
import { openaiClient } from '../api/openai/responses/openai-client.ts';
import { scripted } from '../harness/scripted.ts';
import { type Pawl, startPawl } from './start-pawl.ts';
import { answered, history, parameters, time, twoRounds, weather } from './tool-loop.ts';

const tools = [weather, time].map(({ run, name, description }) =>
  tool({ name, description, parameters, execute: run }),
);

const modelOf = (pawl: Pawl) => new OpenAIChatCompletionsModel(openaiClient(pawl), 'openai/gpt-4o');
const runner = new Runner({ tracingDisabled: true });
const withoutSystem = (pawl: Pawl) => pawl.lastSent().filter(({ role }) => role !== 'system');

test('an agent with a chat model runs its tools until it has an answer', async () => {
  await using pawl = await startPawl();
  const guide = new Agent({ name: 'Guide', instructions: 'Be brief.', tools, model: modelOf(pawl) });

  const ran = await runner.run(guide, twoRounds);

  expect(ran.finalOutput).toBe(answered);
  expect(ran.lastResponseId).toMatch(/^chatcmpl-/);
  expect(pawl.lastSent()).toMatchObject([{ role: 'system', content: 'Be brief.' }, ...history]);
});

test('a provider in chat mode finds models by their names', async () => {
  await using pawl = await startPawl();
  const modelProvider = new OpenAIProvider({ openAIClient: openaiClient(pawl), useResponses: false });
  const plain = new Agent({ name: 'Plain', model: 'openai/gpt-4o' });

  const ran = await new Runner({ modelProvider, tracingDisabled: true }).run(plain, scripted({ answer: 'Hello.' }));

  expect(ran.finalOutput).toBe('Hello.');
  expect(ran.lastResponseId).toMatch(/^chatcmpl-/);
});

test('a streamed run gives the texts of the model and the results of the tools', async () => {
  await using pawl = await startPawl();
  const guide = new Agent({ name: 'Guide', tools, model: modelOf(pawl) });

  const streaming = await runner.run(guide, twoRounds, { stream: true });
  const events = await gather(streaming);
  await streaming.completed;

  const texts = events.flatMap((event) =>
    event.type === 'raw_model_stream_event' && event.data.type === 'output_text_delta' ? [event.data.delta] : [],
  );
  const outputs = events.filter((event) => event.type === 'run_item_stream_event' && event.name === 'tool_output');
  expect(streaming.finalOutput).toBe(answered);
  expect(texts.join('')).toBe(`Let me see.${answered}`);
  expect(outputs).toHaveLength(3);
  expect(streaming.state.usage.totalTokens).toBeGreaterThan(0);
  expect(withoutSystem(pawl)).toMatchObject(history);
});

test('an agent hands over to another agent with its own instructions and tools', async () => {
  await using pawl = await startPawl();
  const model = modelOf(pawl);
  const cook = new Agent({ name: 'Cook', instructions: 'You cook.', tools, model });
  const host = Agent.create({ name: 'Host', instructions: 'You host.', handoffs: [cook], model });
  const rounds = [
    { tools: [{ name: 'transfer_to_Cook', arguments: {} }] },
    { tools: [{ name: 'get_time', arguments: { city: 'Oslo' } }] },
  ];

  const ran = await runner.run(host, scripted({ rounds, answer: 'Served.' }));

  expect(ran.finalOutput).toBe('Served.');
  expect(ran.lastAgent?.name).toBe('Cook');
  expect(pawl.modelRequests.map(({ body }) => body)).toMatchObject([
    { messages: [{ content: 'You host.' }, {}], tools: [{ function: { name: 'transfer_to_Cook' } }] },
    { messages: [{ content: 'You cook.' }, {}, {}, {}], tools: [{}, { function: { name: 'get_time' } }] },
    { messages: [{ content: 'You cook.' }, {}, {}, {}, {}, {}] },
  ]);
});

test('a session keeps the messages and the calls of earlier runs', async () => {
  await using pawl = await startPawl();
  const session = new MemorySession();
  const guide = new Agent({ name: 'Guide', tools, model: modelOf(pawl) });

  await runner.run(guide, twoRounds, { session });
  const second = await runner.run(guide, scripted({ answer: 'Still here.' }), { session });

  expect(second.finalOutput).toBe('Still here.');
  expect(withoutSystem(pawl)).toMatchObject([...history, { role: 'assistant', content: answered }, { role: 'user' }]);
});

test('an output type reaches the model as a schema', async () => {
  await using pawl = await startPawl();
  const outputType = z.object({ name: z.string(), age: z.number().nullable() });
  const clerk = new Agent({ name: 'Clerk', outputType, model: modelOf(pawl) });

  const ran = await runner.run(clerk, scripted({ answer: '{"name":"Ada","age":36}' }));

  expect(ran.finalOutput).toEqual({ name: 'Ada', age: 36 });
  expect(pawl.modelRequests[0]!.body.response_format).toMatchObject({ type: 'json_schema' });
});
