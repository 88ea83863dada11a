import { OpenAI } from '@llamaindex/openai';
import { agent, agentStreamEvent, agentToolCallResultEvent } from '@llamaindex/workflow';
import { type ChatMessage, tool } from 'llamaindex';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { gather } from '../api/openai/responses/clients/gather.ts';
import { scripted } from '../harness/scripted.ts';
import { startPawl } from './start-pawl.ts';
import { answered, history, parameters, time, twoRounds, weather } from './tool-loop.ts';

const tools = [weather, time].map(({ run, name, description }) =>
  tool({ name, description, parameters, execute: run }),
);

const ada = { name: 'Ada', age: 36 };

const llm = (baseURL: string) => new OpenAI({ model: 'gpt-4o', apiKey: 'any', baseURL, maxRetries: 0 });

test('the OpenAI model of LlamaIndex sends earlier messages and returns the text', async () => {
  await using pawl = await startPawl();
  const messages: ChatMessage[] = [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'I am Ada.' },
    { role: 'assistant', content: 'Hello, Ada.' },
    { role: 'user', content: scripted({ answer: 'You are Ada.' }) },
  ];

  const { message } = await llm(pawl.baseURL).chat({ messages });
  const { text } = await llm(pawl.baseURL).complete({ prompt: scripted({ answer: 'Completed.' }) });

  expect(message).toMatchObject({ role: 'assistant', content: 'You are Ada.' });
  expect(text).toBe('Completed.');
  expect(pawl.modelRequests[0]!.body.messages).toEqual(messages);
});

test('the OpenAI model of LlamaIndex streams a text', async () => {
  await using pawl = await startPawl();
  const prompt = scripted({ answer: 'One word after the other.', piece_chars: 4 });

  const chunks = await gather(
    await llm(pawl.baseURL).chat({ messages: [{ role: 'user', content: prompt }], stream: true }),
  );

  expect(chunks.map(({ delta }) => delta).join('')).toBe('One word after the other.');
});

test.each([false, true])('tools of LlamaIndex are called by the model (streamed: %s)', async (stream) => {
  await using pawl = await startPawl();
  const asked = { messages: [{ role: 'user' as const, content: twoRounds }], tools };

  const calls = stream
    ? (await gather(await llm(pawl.baseURL).chat({ ...asked, stream }))).flatMap(({ options }) =>
        options && 'toolCall' in options ? options.toolCall : [],
      )
    : (await llm(pawl.baseURL).chat(asked)).message.options;

  expect(JSON.stringify(calls)).toContain('get_weather');
  expect(JSON.stringify(calls)).toContain('get_time');
  expect(pawl.modelRequests[0]!.body.tools).toMatchObject([
    { function: { name: 'get_weather' } },
    { function: { name: 'get_time' } },
  ]);
});

test('a response format of LlamaIndex reaches the model as a schema', async () => {
  await using pawl = await startPawl();
  const responseFormat = z.object({ name: z.string(), age: z.number() });
  const asks = (script: Parameters<typeof scripted>[0]) => [{ role: 'user' as const, content: scripted(script) }];
  const calls = asks({ rounds: [{ tools: [{ name: 'format_output', arguments: ada }] }] });

  const { message } = await llm(pawl.baseURL).chat({ messages: asks({ answer: JSON.stringify(ada) }), responseFormat });
  const { object } = await llm(pawl.baseURL).exec({ messages: calls, responseFormat });

  expect(message.content).toBe(JSON.stringify(ada));
  expect(object).toEqual(ada);
  expect(pawl.modelRequests[0]!.body.response_format).toMatchObject({ type: 'json_schema' });
});

test('an agent of LlamaIndex runs its tools until the model answers', async () => {
  await using pawl = await startPawl();
  const guide = agent({ llm: llm(pawl.baseURL), tools });

  const { data } = await guide.run(twoRounds);

  expect(data.result).toBe(answered);
  expect(pawl.lastSent().filter(({ role }) => role !== 'system')).toMatchObject(history);
});

test('an agent of LlamaIndex streams its texts and the results of its tools', async () => {
  await using pawl = await startPawl();
  const guide = agent({ llm: llm(pawl.baseURL), tools });

  const events = await gather(guide.runStream(twoRounds));

  const texts = events.flatMap((event) => (agentStreamEvent.include(event) ? [event.data.delta] : []));
  const results = events.flatMap((event) =>
    agentToolCallResultEvent.include(event) ? [event.data.toolOutput.result] : [],
  );
  expect(texts.join('')).toBe(`Let me see.${answered}`);
  expect(results).toEqual(['Sunny in Rome', 'Noon in Oslo', 'Noon in Rome']);
});
