import { HumanMessage, isAIMessage } from '@langchain/core/messages';
import { ChatOpenAI } from '@langchain/openai';
import { createAgent, tool } from 'langchain';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { gather } from '../api/openai/responses/clients/gather.ts';
import { scripted } from '../harness/scripted.ts';
import { startPawl } from './start-pawl.ts';
import { answered, history, parameters, time, twoRounds, weather } from './tool-loop.ts';

const tools = [weather, time].map(({ run, name, description }) => tool(run, { name, description, schema: parameters }));
const person = z.object({ name: z.string(), age: z.number() });
const ada = { name: 'Ada', age: 36 };

const chatModel = (baseURL: string, fields: object = {}) =>
  new ChatOpenAI({ model: 'gpt-4o', apiKey: 'any', configuration: { baseURL }, maxRetries: 0, ...fields });

test('ChatOpenAI sends earlier messages and settings, and returns the text', async () => {
  await using pawl = await startPawl();
  const model = chatModel(pawl.baseURL, { temperature: 0.3, maxTokens: 100, stop: ['END'] });

  const reply = await model.invoke([
    ['system', 'Be brief.'],
    ['user', 'I am Ada.'],
    ['assistant', 'Hello, Ada.'],
    ['user', scripted({ answer: 'You are Ada.' })],
  ]);

  expect(reply.text).toBe('You are Ada.');
  expect(reply.response_metadata).toMatchObject({ finish_reason: 'stop', model_name: 'gpt-4o' });
  expect(reply.usage_metadata).toMatchObject({ input_tokens: expect.any(Number), output_tokens: expect.any(Number) });
  expect(pawl.lastSent()).toMatchObject([
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'I am Ada.' },
    { role: 'assistant', content: 'Hello, Ada.' },
    { role: 'user' },
  ]);
  expect(pawl.modelRequests[0]!.body).toMatchObject({ temperature: 0.3, max_completion_tokens: 100, stop: ['END'] });
});

test('ChatOpenAI streams a text and its usage', async () => {
  await using pawl = await startPawl();
  const model = chatModel(pawl.baseURL);

  const chunks = await gather(await model.stream(scripted({ answer: 'One word after the other.', piece_chars: 4 })));

  const whole = chunks.reduce((sum, chunk) => sum.concat(chunk));
  expect(chunks.map(({ text }) => text).join('')).toBe('One word after the other.');
  expect(whole.response_metadata).toMatchObject({ finish_reason: 'stop' });
  expect(whole.usage_metadata).toMatchObject({ input_tokens: expect.any(Number), output_tokens: expect.any(Number) });
});

test.each([false, true])(
  'ChatOpenAI with bound tools returns the calls of the model (streamed: %s)',
  async (streamed) => {
    await using pawl = await startPawl();
    const model = chatModel(pawl.baseURL).bindTools(tools);

    const reply = streamed
      ? (await gather(await model.stream(twoRounds))).reduce((sum, chunk) => sum.concat(chunk))
      : await model.invoke(twoRounds);

    expect(reply.text).toBe('Let me see.');
    expect(reply.tool_calls).toMatchObject([
      { name: 'get_weather', args: { city: 'Rome' } },
      { name: 'get_time', args: { city: 'Oslo' } },
    ]);
    expect(reply.response_metadata).toMatchObject({ finish_reason: 'tool_calls' });
    expect(pawl.modelRequests[0]!.body.tools).toMatchObject([
      { function: { name: 'get_weather', parameters: { required: ['city'] } } },
      { function: { name: 'get_time' } },
    ]);
  },
);

test.each(['jsonSchema', 'functionCalling', 'jsonMode'] as const)(
  'withStructuredOutput parses an object (method: %s)',
  async (method) => {
    await using pawl = await startPawl();
    const model = chatModel(pawl.baseURL).withStructuredOutput(person, { method, name: 'person' });
    const calls = [{ tools: [{ name: 'person', arguments: ada }] }];
    const prompt = scripted(method === 'functionCalling' ? { rounds: calls } : { answer: JSON.stringify(ada) });

    const parsed = await model.invoke(`JSON, please. ${prompt}`);

    expect(parsed).toEqual(ada);
  },
);

test('withStructuredOutput streams a growing object', async () => {
  await using pawl = await startPawl();
  const model = chatModel(pawl.baseURL).withStructuredOutput(person);

  const parts = await gather(await model.stream(scripted({ answer: JSON.stringify(ada), piece_chars: 4 })));

  expect(parts.at(-1)).toEqual(ada);
  expect(pawl.modelRequests[0]!.body.response_format).toMatchObject({ type: 'json_schema' });
});

test('createAgent runs its tools until the model answers', async () => {
  await using pawl = await startPawl();
  const agent = createAgent({ model: chatModel(pawl.baseURL), tools, systemPrompt: 'Be brief.' });

  const { messages } = await agent.invoke({ messages: [new HumanMessage(twoRounds)] });

  expect(messages.at(-1)!.text).toBe(answered);
  expect(pawl.lastSent()).toMatchObject([{ role: 'system' }, ...history]);
});

test('createAgent streams the texts of its model and the results of its tools', async () => {
  await using pawl = await startPawl();
  const agent = createAgent({ model: chatModel(pawl.baseURL), tools });

  const streamed = await gather(
    await agent.stream({ messages: [new HumanMessage(twoRounds)] }, { streamMode: 'messages' }),
  );

  const texts = streamed.flatMap(([message]) => (isAIMessage(message) ? [message.text] : []));
  expect(texts.join('')).toBe(`Let me see.${answered}`);
  expect(pawl.lastSent()).toMatchObject(history);
});

test('createAgent with a response format returns an object beside the messages', async () => {
  await using pawl = await startPawl();
  const agent = createAgent({ model: chatModel(pawl.baseURL), tools, responseFormat: person });
  const rounds = [{ tools: [{ name: 'get_time', arguments: { city: 'Rome' } }] }];

  const { structuredResponse } = await agent.invoke({
    messages: [new HumanMessage(scripted({ rounds, answer: JSON.stringify(ada) }))],
  });

  expect(structuredResponse).toEqual(ada);
});
