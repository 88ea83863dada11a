import { Agent, OpenAIConversationsSession, OpenAIProvider, Runner, tool } from '@openai/agents';
import { expect, test } from 'vitest';
import { createHarness, startBackgroundWorker } from '#test/harness/create-harness.ts';
import { scripted } from '#test/harness/scripted.ts';
import { openaiClient } from '../openai-client.ts';
import { asking } from './converse.ts';

test('a session of the Agents SDK keeps its history in Pawl, and removes single items', async () => {
  await using harness = await createHarness();
  await using _worker = await startBackgroundWorker(harness);
  const client = openaiClient(harness, '/openai/v1') as never;
  const session = new OpenAIConversationsSession({ client });
  const runner = new Runner({
    modelProvider: new OpenAIProvider({ openAIClient: client, useResponses: true }),
    tracingDisabled: true,
  });
  const getTime = tool({
    ...{ name: 'get_time', description: 'Tells the time in a city', strict: false as const },
    parameters: { type: 'object' as const, properties: {}, required: [], additionalProperties: true as const },
    execute: async () => 'Noon',
  });
  const agent = new Agent({ name: 'Ada', model: 'test', instructions: 'Be brief.', tools: [getTime] });

  const first = await runner.run(agent, asking, { session });
  const second = await runner.run(agent, scripted({ answer: 'Later.' }), { session });
  const types = (await session.getItems()).map(({ type }) => type);
  const popped = await session.popItem();

  expect(first.finalOutput).toBe('It is noon.');
  expect(second.finalOutput).toBe('Later.');
  expect(types).toEqual([
    'message',
    'message',
    'function_call',
    'function_call_result',
    'message',
    'message',
    'message',
  ]);
  expect(popped).toMatchObject({ type: 'message', role: 'assistant' });
  expect(await session.getItems()).toHaveLength(6);
  await session.clearSession();
  expect(await session.getItems()).toEqual([]);
});
