import { Agent, OpenAIConversationsSession, tool } from '@openai/agents';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { createHarness, startBackgroundWorker } from '#test/harness/create-harness.ts';
import { describeQueue } from '#test/harness/queues.ts';
import { scripted } from '#test/harness/scripted.ts';
import { openaiClient } from '../openai-client.ts';
import { agentsRunner } from './agents-runner.ts';

const time = tool({
  ...{ name: 'get_time', description: 'Tells the time', parameters: z.object({ city: z.string() }) },
  execute: async ({ city }) => `Noon in ${city}`,
});
const guide = new Agent({ name: 'Guide', tools: [time] });
const script = scripted({
  rounds: [{ say: 'Let me see.', reasoning: 'Rome.', tools: [{ name: 'get_time', arguments: { city: 'Rome' } }] }],
  answer: 'It says: {{results}}',
});

describeQueue(({ redis }) => {
  test('a session of the Conversations API keeps messages and calls across runs', async () => {
    await using harness = await createHarness({ redis });
    await using _worker = await startBackgroundWorker(harness);
    const runner = agentsRunner(harness);
    const client = openaiClient(harness, '/openai/v1');
    const session = new OpenAIConversationsSession({ client });

    await runner.run(guide, script, { session });
    const conversationId = await session.getSessionId();
    const again = new OpenAIConversationsSession({ client, conversationId });
    const second = await runner.run(guide, scripted({ answer: 'Still noon.' }), { session: again });

    expect(second.finalOutput).toBe('Still noon.');
    expect(harness.modelRequests.at(-1)!.body.messages).toMatchObject([
      { role: 'user', content: script },
      { role: 'assistant', content: 'Let me see.', tool_calls: [{}] },
      { role: 'tool', content: 'Noon in Rome' },
      { role: 'assistant', content: 'It says: Noon in Rome' },
      { role: 'user' },
    ]);
    expect((await again.getItems()).map((item) => ('role' in item ? item.role : item.type))).toEqual([
      ...['user', 'assistant', 'function_call', 'function_call_result', 'assistant', 'user', 'assistant'],
    ]);
  });

  test('a session reads and removes its last items, and can be cleared', async () => {
    await using harness = await createHarness({ redis });
    const session = new OpenAIConversationsSession({ client: openaiClient(harness, '/openai/v1') });
    const texts = async () => (await session.getItems()).map((item) => ('content' in item ? item.content : null));
    const said = ['One', 'Two', 'Three'].map((text) => ({ role: 'user' as const, content: text }));

    await session.addItems(said);
    const last = await session.getItems(2);
    await session.popItem();

    expect(last).toMatchObject([{ content: [{ text: 'Two' }] }, { content: [{ text: 'Three' }] }]);
    expect(await texts()).toMatchObject([[{ text: 'One' }], [{ text: 'Two' }]]);
    await session.clearSession();
    expect(await texts()).toEqual([]);
  });
});
