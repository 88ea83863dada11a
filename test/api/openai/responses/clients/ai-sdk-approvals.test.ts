import { openai } from '@ai-sdk/openai';
import { generateText, type ModelMessage } from 'ai';
import { expect, test } from 'vitest';
import { createHarness, startBackgroundWorker } from '#test/harness/create-harness.ts';
import { describeQueue } from '#test/harness/queues.ts';
import { scripted } from '#test/harness/scripted.ts';
import { aiSdkProvider } from './ai-sdk-provider.ts';

const ASKING = { serverLabel: 'pawl', serverUrl: '', requireApproval: 'always' } as const;
const script = scripted({
  rounds: [{ say: 'Let me see.', tools: [{ name: 'weather_lookup', arguments: { city: 'Rome' } }] }],
  answer: 'It says: {{results}}',
});

describeQueue(({ redis }) => {
  test.each([true, false])('the AI SDK asks a person about a call, and continues (allowed: %s)', async (approved) => {
    await using harness = await createHarness({ redis });
    await using _worker = await startBackgroundWorker(harness);
    const asking = { model: aiSdkProvider(harness).responses('gpt-4o'), tools: { pawl: openai.tools.mcp(ASKING) } };
    const messages: ModelMessage[] = [{ role: 'user', content: script }];

    const waiting = await generateText({ ...asking, messages });
    const request = waiting.content.find((part) => part.type === 'tool-approval-request')!;
    const decision = { type: 'tool-approval-response' as const, approvalId: request.approvalId, approved };
    const answer = { ...decision, providerExecuted: true };
    messages.push(...waiting.responseMessages, { role: 'tool', content: [answer] });
    const { text } = await generateText({ ...asking, messages });

    expect(harness.modelRequests.at(-1)!.body.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool']);
    if (approved) expect(text).toBe('It says: {"city":"Rome","temp":22,"condition":"sunny"}');
    else expect(text).not.toContain('sunny');
  });
});
