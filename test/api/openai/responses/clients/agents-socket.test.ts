import { Agent, OpenAIProvider, Runner, tool, withResponsesWebSocketSession } from '@openai/agents';
import { expect } from 'vitest';
import { z } from 'zod';
import { createHarness, type Harness, startBackgroundWorker } from '#test/harness/create-harness.ts';
import { describeQueue } from '#test/harness/queues.ts';
import { scripted } from '#test/harness/scripted.ts';
import { test } from '../../test.ts';
import { openaiClient } from '../openai-client.ts';
import { gather } from './gather.ts';

// Models of OpenAI's Agents SDK over a WebSocket.

const weather = tool({
  ...{ name: 'get_weather', description: 'Tells the weather', parameters: z.object({ city: z.string() }) },
  execute: async ({ city }) => `Sunny in ${city}`,
});
const guide = new Agent({ name: 'Guide', instructions: 'Be brief.', tools: [weather] });
const call = (city: string) => ({ tools: [{ name: 'get_weather', arguments: { city } }] });
const twoRounds = scripted({ rounds: [call('Rome'), call('Oslo')], answer: 'It says: {{results}}' });
const answered = 'It says: Sunny in Rome\nSunny in Oslo';

/** Opens a runner with models of Pawl over one socket. Disposing the runner closes the socket. */
function openRunner(harness: Pick<Harness, 'url'>, apiKey = 'none') {
  const openAIClient = openaiClient(harness, '/v1', apiKey);
  const provider = new OpenAIProvider({ openAIClient, useResponses: true, useResponsesWebSocket: true });
  return {
    runner: new Runner({ modelProvider: provider, model: 'gpt-4o', tracingDisabled: true }),
    [Symbol.asyncDispose]: () => provider.close(),
  };
}

const historyOf = ({ modelRequests }: Harness) => modelRequests.at(-1)!.body.messages.map(({ role }) => role);

describeQueue(({ redis }) => {
  test('an agent runs its tools over a socket, with and without a stream', async () => {
    await using harness = await createHarness({ redis, env: { PAWL_API_KEYS: 'alpha:key-a' } });
    await using _worker = await startBackgroundWorker(harness);
    await using opened = openRunner(harness, 'key-a');

    const ran = await opened.runner.run(guide, twoRounds);
    const streaming = await opened.runner.run(guide, twoRounds, { stream: true });
    const events = await gather(streaming);
    await streaming.completed;

    const texts = events.map((event) =>
      event.type === 'raw_model_stream_event' && event.data.type === 'output_text_delta' ? event.data.delta : '',
    );
    expect([ran.finalOutput, streaming.finalOutput, texts.join('')]).toEqual([answered, answered, answered]);
    expect(historyOf(harness)).toEqual(['system', 'user', 'assistant', 'tool', 'assistant', 'tool']);
  });
});

test('an agent continues unstored responses on the same socket', async ({ harness, worker: _ }) => {
  await using opened = openRunner(harness);
  const agent = guide.clone({ modelSettings: { store: false } });

  const first = await opened.runner.run(agent, twoRounds);
  const previousResponseId = first.lastResponseId!;
  const second = await opened.runner.run(agent, twoRounds, { previousResponseId });

  expect([first.finalOutput, second.finalOutput]).toEqual([answered, answered]);
  expect(historyOf(harness)).toEqual([
    'system',
    ...['user', 'assistant', 'tool', 'assistant', 'tool', 'assistant'],
    ...['user', 'assistant', 'tool', 'assistant', 'tool'],
  ]);
});

test('a session of the Agents SDK closes its socket at the end', async ({ harness, worker: _ }) => {
  const openAIClient = openaiClient(harness);

  const ran = await withResponsesWebSocketSession(({ runner }) => runner.run(guide, twoRounds), {
    providerOptions: { openAIClient },
    runnerConfig: { model: 'gpt-4o', tracingDisabled: true },
  });

  expect(ran.finalOutput).toBe(answered);
});

test('an agent raises refused requests and failed responses, and can run again', async ({ harness, worker: _ }) => {
  await using opened = openRunner(harness);
  const fails = scripted({ answer: 'Never.', final: { fault: { kind: 'status', status: 401 } } });

  const refused = opened.runner.run(guide, 'Hi', { previousResponseId: 'resp_unknown' });
  await expect(refused).rejects.toThrow('unsuccessful terminal state "error"');
  await expect(opened.runner.run(guide, fails)).rejects.toThrow(/failed/);
  const ran = await opened.runner.run(guide, twoRounds);

  expect(ran.finalOutput).toBe(answered);
});
