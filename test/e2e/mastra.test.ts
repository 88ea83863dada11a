import { Agent } from '@mastra/core/agent';
import { createTool } from '@mastra/core/tools';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { gather } from '../api/openai/responses/clients/gather.ts';
import { scripted } from '../harness/scripted.ts';
import { startPawl } from './start-pawl.ts';
import { answered, history, parameters, time, twoRounds, weather } from './tool-loop.ts';

const tools = Object.fromEntries(
  [weather, time].map(({ run, name, description }) => [
    name,
    createTool({ id: name, description, inputSchema: parameters, execute: run }),
  ]),
);
const person = z.object({ name: z.string(), age: z.number() });
const ada = { name: 'Ada', age: 36 };

const makeAgent = (url: string, fields: object = {}) =>
  new Agent({
    ...{ id: 'guide', name: 'Guide', instructions: 'Be brief.' },
    ...{ model: { id: 'pawl/gpt-4o', url, apiKey: 'any' }, maxRetries: 0, ...fields },
  });

test('an agent of Mastra sends earlier messages and returns the text', async () => {
  await using pawl = await startPawl();

  const { text, finishReason, usage } = await makeAgent(pawl.baseURL).generate([
    { role: 'user', content: 'I am Ada.' },
    { role: 'assistant', content: 'Hello, Ada.' },
    { role: 'user', content: scripted({ answer: 'You are Ada.' }) },
  ]);

  expect({ text, finishReason }).toEqual({ text: 'You are Ada.', finishReason: 'stop' });
  expect(usage.totalTokens).toBeGreaterThan(0);
  expect(pawl.lastSent()).toMatchObject([
    { role: 'system', content: 'Be brief.' },
    { role: 'user' },
    { role: 'assistant', content: 'Hello, Ada.' },
    { role: 'user' },
  ]);
});

test('an agent of Mastra streams a text', async () => {
  await using pawl = await startPawl();

  const stream = await makeAgent(pawl.baseURL).stream(
    scripted({ answer: 'One word after the other.', piece_chars: 4 }),
  );
  const texts = await gather(stream.textStream);

  expect(texts.join('')).toBe('One word after the other.');
  expect(await stream.finishReason).toBe('stop');
});

test('an agent of Mastra runs its tools until the model answers, streamed or not', async () => {
  await using pawl = await startPawl();
  const agent = makeAgent(pawl.baseURL, { tools });
  const withoutSystem = () => pawl.lastSent().filter(({ role }) => role !== 'system');

  const generated = await agent.generate(twoRounds);
  expect(withoutSystem()).toMatchObject(history);
  const stream = await agent.stream(twoRounds);
  const texts = await gather(stream.textStream);

  expect(generated.text).toContain(answered);
  expect(generated.toolResults).toHaveLength(3);
  expect(texts.join('')).toBe(`Let me see.${answered}`);
  expect(withoutSystem()).toMatchObject(history);
});

test('structured output of Mastra is an object, streamed or not', async () => {
  await using pawl = await startPawl();
  const agent = makeAgent(pawl.baseURL);
  const prompt = scripted({ answer: JSON.stringify(ada), piece_chars: 4 });

  const generated = await agent.generate(prompt, { structuredOutput: { schema: person } });
  const stream = await agent.stream(prompt, { structuredOutput: { schema: person } });
  const parts = await gather(stream.objectStream);

  expect(generated.object).toEqual(ada);
  expect(parts.at(-1)).toEqual(ada);
  expect(pawl.modelRequests[0]!.body.response_format).toMatchObject({ type: 'json_schema' });
});
