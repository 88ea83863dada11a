import { generateText, type ModelMessage, stepCountIs, streamText, tool } from 'ai';
import { expect } from 'vitest';
import { z } from 'zod';
import type { TurnResource } from '#core/turn/resource/turn.ts';
import { createHarness, type Harness, startBackgroundWorker } from '#test/harness/create-harness.ts';
import { describeQueue } from '#test/harness/queues.ts';
import { scripted } from '#test/harness/scripted.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { test } from '../../test.ts';
import { aiSdkProvider } from './ai-sdk-provider.ts';
import { gather } from './gather.ts';

const city = z.object({ city: z.string() });
const tools = {
  get_weather: tool({
    description: 'Tells the weather',
    inputSchema: city,
    execute: async (at) => `Sunny in ${at.city}`,
  }),
  get_time: tool({ description: 'Tells the time', inputSchema: city, execute: async (at) => ({ ...at, hour: 12 }) }),
};
const inSteps = { tools, stopWhen: stepCountIs(5) };
const twoRounds = scripted({
  rounds: [
    {
      say: 'Let me see.',
      reasoning: 'Two calls.',
      tools: [
        { name: 'get_weather', arguments: { city: 'Rome' } },
        { name: 'get_time', arguments: { city: 'Oslo' } },
      ],
    },
    { reasoning: 'One more.', tools: [{ name: 'get_time', arguments: { city: 'Rome' } }] },
  ],
  answer: 'It says: {{results}}',
});
const results = ['Sunny in Rome', '{"city":"Oslo","hour":12}', '{"city":"Rome","hour":12}'];
const answered = `It says: ${results.join('\n')}`;
/** The history of the third step, as the provider receives it. */
const history = [
  { role: 'user' },
  { role: 'assistant', content: 'Let me see.', tool_calls: [{}, {}] },
  ...results.slice(0, 2).map((content) => ({ role: 'tool', content })),
  { role: 'assistant', tool_calls: [{}] },
  { role: 'tool', content: results[2] },
];

const lastSent = ({ modelRequests }: Harness) => modelRequests.at(-1)!.body.messages;

describeQueue(({ redis }) => {
  test('the AI SDK generates a text, and streams a text piece by piece', async () => {
    await using harness = await createHarness({ redis });
    await using _worker = await startBackgroundWorker(harness);
    const model = aiSdkProvider(harness).responses('gpt-4o');
    const asked = { model, instructions: 'Be brief.', prompt: scripted({ answer: 'Hello, Ada. 🐢' }) };

    const generated = await generateText(asked);
    const streamed = streamText(asked);
    const pieces = await gather(streamed.textStream);

    expect(generated).toMatchObject({ text: 'Hello, Ada. 🐢', finishReason: 'stop', warnings: [] });
    expect(generated.response.id).toMatch(/^resp_/);
    expect(generated.usage.totalTokens).toBeGreaterThan(0);
    expect(pieces.join('')).toBe(generated.text);
    expect(await streamed.usage).toEqual(generated.usage);
    expect(await streamed.warnings).toEqual([]);
    expect(lastSent(harness)[0]).toEqual({ role: 'system', content: 'Be brief.' });
  });

  // The SDK sends ids of stored items. With `store: false` it sends whole items.
  test.each([true, false])('the AI SDK runs tools in parallel and in several steps (store: %s)', async (store) => {
    await using harness = await createHarness({ redis });
    await using _worker = await startBackgroundWorker(harness);
    const model = aiSdkProvider(harness).responses('gpt-4o');
    const asked = { model, ...inSteps, prompt: twoRounds, providerOptions: { openai: { store } } };

    const generated = await generateText(asked);
    expect(lastSent(harness)).toMatchObject(history);
    const streamed = streamText(asked);
    const parts = await gather(streamed.fullStream);

    expect(generated.text).toBe(answered);
    expect(generated.steps.map(({ toolResults }) => toolResults.length)).toEqual([2, 1, 0]);
    expect(generated.warnings).toEqual([]);
    expect(await streamed.text).toBe(answered);
    expect(parts.filter(({ type }) => type === 'error' || type === 'tool-error')).toEqual([]);
    expect(lastSent(harness)).toMatchObject(history);
  });
});

test('reasoning of a model is shown, and sent back by reference', async ({ harness, worker: _ }) => {
  const asked = {
    ...{ model: aiSdkProvider(harness).responses('gpt-5'), ...inSteps, prompt: twoRounds },
    providerOptions: { openai: { reasoningSummary: 'auto', reasoningEffort: 'low' } },
  };

  const generated = await generateText(asked);
  const streamed = await gather(streamText(asked).fullStream);

  expect(generated.steps.map(({ reasoningText }) => reasoningText)).toEqual(['Two calls.', 'One more.', undefined]);
  expect(generated).toMatchObject({ text: answered, warnings: [] });
  expect(streamed.flatMap((part) => (part.type === 'reasoning-delta' ? [part.text] : []))).toEqual([
    'Two calls.',
    'One more.',
  ]);
  expect(harness.modelRequests.at(-1)!.body).toMatchObject({ reasoning_effort: 'low', messages: history });
});

test('a text, and steps with tools, may follow an earlier response', async ({ harness, worker: _ }) => {
  const model = aiSdkProvider(harness).responses('gpt-4o');

  const first = await generateText({ model, prompt: 'I am Ada.' });
  const providerOptions = { openai: { previousResponseId: first.response.id } };
  const second = await generateText({ model, ...inSteps, prompt: twoRounds, providerOptions });

  expect(second).toMatchObject({ text: answered, warnings: [] });
  expect(lastSent(harness)).toMatchObject([{ content: 'I am Ada.' }, { content: first.text }, ...history]);
});

test('the AI SDK may send all messages again', async ({ harness, worker: _ }) => {
  const model = aiSdkProvider(harness).responses('gpt-4o');
  const messages: ModelMessage[] = [{ role: 'user', content: twoRounds }];

  const first = await generateText({ model, ...inSteps, messages });
  messages.push(...first.responseMessages, { role: 'user', content: 'And now?' });
  const second = await generateText({ model, messages });

  expect(second).toMatchObject({ text: 'You said: "And now?".', warnings: [] });
  expect(lastSent(harness)).toMatchObject([...history, { content: answered }, { role: 'user', content: 'And now?' }]);
});

test('the AI SDK may continue a conversation of Pawl', async ({ harness, worker: _ }) => {
  const model = aiSdkProvider(harness).responses('gpt-4o');
  const conversation = await harness.call<{ id: string }>('POST', '/v1/conversations', { body: {} });
  const providerOptions = { openai: { conversation: conversation.body.id } };

  await generateText({ model, prompt: 'I am Ada.', providerOptions });
  const second = await generateText({ model, prompt: 'Who am I?', providerOptions });

  expect(second.warnings).toEqual([]);
  expect(lastSent(harness)).toMatchObject([{ content: 'I am Ada.' }, { role: 'assistant' }, { content: 'Who am I?' }]);
});

test('a conversation stores repeated outputs of the SDK once', async () => {
  await using harness = await createHarness();
  await using _worker = await startBackgroundWorker(harness);
  const model = aiSdkProvider(harness).responses('gpt-4o');
  const conversation = await harness.call<{ id: string }>('POST', '/v1/conversations', { body: {} });
  const providerOptions = { openai: { conversation: conversation.body.id } };

  const stepwise = { ...inSteps, stopWhen: stepCountIs(3) };
  const { steps } = await generateText({ model, ...stepwise, prompt: twoRounds, providerOptions });

  const outputs = lastSent(harness).flatMap((message) => ('tool_call_id' in message ? [message.tool_call_id] : []));
  expect(steps).toHaveLength(3);
  expect(outputs).toHaveLength(4);
  expect(new Set(outputs).size).toBe(4);
});

test('a call that needs approval runs, or is denied, in a later request', async ({ harness, worker: _ }) => {
  const pay = tool({ description: 'Pays', inputSchema: z.object({}), execute: async () => 'Paid.' });
  const model = aiSdkProvider(harness).responses('gpt-4o');
  const asked = { model, tools: { pay }, toolApproval: { pay: 'user-approval' }, stopWhen: stepCountIs(3) } as const;
  const script = scripted({ rounds: [{ tools: [{ name: 'pay', arguments: {} }] }], answer: '{{results}}' });
  const messages: ModelMessage[] = [{ role: 'user', content: script }];

  const waiting = await generateText({ ...asked, messages });
  const request = waiting.content.find((part) => part.type === 'tool-approval-request')!;
  const decide = (approved: boolean) => {
    const decision = { type: 'tool-approval-response' as const, approvalId: request.approvalId, approved };
    const decided: ModelMessage = { role: 'tool', content: [{ ...decision, reason: 'Too dear.' }] };
    return generateText({ ...asked, messages: [...messages, ...waiting.responseMessages, decided] });
  };

  expect((await decide(true)).text).toBe('Paid.');
  expect((await decide(false)).text).toBe('Too dear.');
});

test.each(['generateText', 'streamText'])('an abort signal of %s cancels the response', async (name) => {
  await using harness = await createHarness();
  await using _worker = await startBackgroundWorker(harness);
  const stop = new AbortController();
  const prompt = scripted({ answer: 'Never told.', final: { fault: { kind: 'hang', after_chars: 5 } } });
  const asked = { model: aiSdkProvider(harness).responses('gpt-4o'), prompt, abortSignal: stop.signal };

  const asking =
    name === 'generateText' ? generateText(asked) : gather(streamText({ ...asked, onError: () => {} }).textStream);
  asking.catch(() => {});
  await waitUntil(() => expect(harness.modelRequests).toHaveLength(1));
  stop.abort();

  const statuses = async () =>
    (await harness.call<{ data: TurnResource[] }>('GET', '/v1/turns')).body.data.map(({ status }) => status);
  await waitUntil(async () => expect(await statuses()).toEqual(['cancelled']));
});
