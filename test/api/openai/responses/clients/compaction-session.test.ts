import { Agent, MemorySession, OpenAIResponsesCompactionSession } from '@openai/agents';
import { expect } from 'vitest';
import { scripted } from '#test/harness/scripted.ts';
import { test } from '../../test.ts';
import { openaiClient } from '../openai-client.ts';
import { agentsRunner } from './agents-runner.ts';

const agent = new Agent({ name: 'Ada' });
const hello = scripted({ answer: 'Hello, Ada.', summary: { say: 'Ada said hello.' } });
const last = scripted({ answer: 'As you said.' });

test.for(['input', 'previous_response_id'] as const)(
  'a compaction session of the Agents SDK shortens its history by %s',
  async (compactionMode, { harness, worker: _ }) => {
    const runner = agentsRunner(harness);
    const session = new OpenAIResponsesCompactionSession({
      ...{ client: openaiClient(harness) as never, underlyingSession: new MemorySession(), model: 'gpt-4o' },
      ...{ compactionMode, shouldTriggerCompaction: () => false },
    });

    const { lastResponseId: responseId } = await runner.run(agent, hello, { session });
    const result = await session.runCompaction({ force: true, ...(responseId && { responseId }) });
    const kept = await session.getItems();
    const { finalOutput } = await runner.run(agent, last, { session });

    expect(result?.usage.inputTokens).toBeGreaterThan(0);
    expect(kept).toMatchObject([{ role: 'user', content: [{ text: hello }] }, { type: 'compaction' }]);
    expect(finalOutput).toBe('As you said.');
    // The SDK drops everything before a compaction.
    expect(harness.modelRequests.at(-1)!.body.messages).toMatchObject([
      { role: 'user', content: expect.stringMatching(/Ada said hello\.$/) },
      { content: last },
    ]);
  },
);

test('a run with a compaction session shortens the history automatically', async ({ harness, worker: _ }) => {
  const runner = agentsRunner(harness);
  const session = new OpenAIResponsesCompactionSession({
    ...{ client: openaiClient(harness) as never, model: 'gpt-4o' },
    shouldTriggerCompaction: ({ compactionCandidateItems }) => compactionCandidateItems.length >= 2,
  });

  for (const _ of [1, 2]) await runner.run(agent, hello, { session });

  expect((await session.getItems()).map((item) => ('role' in item ? item.role : item.type))).toEqual([
    ...['user', 'user', 'compaction'],
  ]);
});
