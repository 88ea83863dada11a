import { createMistral } from '@ai-sdk/mistral';
import { expect, test } from 'vitest';
import { aiSdkProvider } from '#core/llm/ai-sdk/ai-sdk-provider.ts';
import { anthropicProvider } from '#core/llm/anthropic/anthropic-provider.ts';
import { chooseDialect } from '#core/llm/dialects/choose-dialect.ts';
import { geminiProvider } from '#core/llm/gemini/gemini-provider.ts';
import { makeHttpClient } from '#core/llm/http/http-client.ts';
import { openaiProvider } from '#core/llm/openai/openai-provider.ts';
import { openaiResponsesProvider } from '#core/llm/openai-responses/openai-responses-provider.ts';
import type { Message } from '#core/turn/message.ts';
import { mistralWire } from '#test/llm/ai-sdk/mistral-wire.ts';
import { anthropicWire } from '#test/llm/anthropic-wire.ts';
import { askOnce, says, scriptedProvider, withTools } from '#test/llm/dialects/scripted-provider.ts';
import { geminiWire } from '#test/llm/gemini-wire.ts';
import { openaiWire } from '#test/llm/openai-wire.ts';
import { responsesWire } from '#test/llm/responses-wire.ts';
import { startWireServer } from '#test/llm/wire-server.ts';

const { post } = makeHttpClient();

function packagedMistral({ name, apiKey, baseUrl, post }: Parameters<typeof openaiProvider>[0] & { baseUrl: string }) {
  return aiSdkProvider({ name, make: createMistral, options: { apiKey, baseURL: baseUrl }, post });
}

const wires = [
  { wire: 'openai', make: openaiProvider, script: openaiWire },
  { wire: 'openai-responses', make: openaiResponsesProvider, script: responsesWire },
  { wire: 'anthropic', make: anthropicProvider, script: anthropicWire },
  { wire: 'gemini', make: geminiProvider, script: geminiWire },
  { wire: 'ai-sdk', make: packagedMistral, script: mistralWire },
];

test.each(wires)('on the $wire wire no request after the first declares tools', async ({ make, script }) => {
  await using server = await startWireServer();
  server.answer(script.refusal(400));
  server.answerNext({ body: script.reply({ text: ['{"tools":[]}'] }) }, { body: script.reply({ text: ['Sunny.'] }) });
  const dialect = chooseDialect('emulated', make({ name: 'odd', apiKey: 'key', baseUrl: server.origin, post }));
  const call = { id: 'call_1', name: 'get_weather', arguments: '{}' };
  const messages: Message[] = [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: null, calls: [call] },
    { role: 'tool', callId: 'call_1', name: 'get_weather', content: 'sunny', isError: false },
  ];

  const { reply } = await askOnce(dialect, { ...withTools, messages });
  await askOnce(dialect, { ...withTools, messages, tools: [] });

  expect(reply.text).toBe('Sunny.');
  const bodies = server.asked.map(({ body }) => body);
  expect(bodies.map(({ tools }) => tools !== undefined)).toEqual([true, false, false, false]);
  for (const body of bodies.slice(1)) {
    expect(Object.keys(body).filter((field) => /tool/i.test(field))).toEqual([]);
    expect(JSON.stringify(body)).toContain('sunny');
  }
});

test('a decision with too many calls is a bad response, with deep arguments not', async () => {
  const nested = `{"a":${'['.repeat(200)}${']'.repeat(200)}}`;
  const deep = JSON.stringify({ tools: [{ tool: 'get_weather', arguments: nested }] });
  const many = JSON.stringify({ tools: Array.from({ length: 1_001 }, () => ({ tool: 'send_postcard' })) });
  const decide = (decision: string) =>
    askOnce(chooseDialect('emulated', scriptedProvider([says(null), says(decision)])), withTools);

  const { failure } = await decide(many);
  const { reply } = await decide(deep);

  expect(failure).toMatchObject({ code: 'provider_bad_response' });
  expect(failure.message).toContain('more than 1,000 tool calls');
  expect(reply.calls.map((call) => call.arguments)).toEqual([nested]);
});

test('the text format applies to the answer, not to the decision', async () => {
  const textFormat = { type: 'json_schema', name: 'place', schema: { type: 'object' } } as const;
  const provider = scriptedProvider([says('No call.'), says('{"tools":[]}'), says('{}')]);

  await askOnce(chooseDialect('emulated', provider), { ...withTools, textFormat, reasoningEffort: 'low' });

  expect(provider.asked.map((request) => request.textFormat)).toEqual([textFormat, null, textFormat]);
  expect(provider.asked.map((request) => request.reasoningEffort)).toEqual(['low', 'low', 'low']);
});

test.each(['length', 'content_filter', 'other'] as const)(
  'the calls of a decision do not run if the decision ended with %s',
  async (finishReason) => {
    const decision = says(JSON.stringify({ tools: [{ tool: 'send_postcard' }] }), { finishReason });
    const provider = scriptedProvider([says('I would look.'), decision]);

    const { reply } = await askOnce(chooseDialect('emulated', provider), withTools);

    expect(reply).toMatchObject({ text: null, finishReason, requests: 2 });
  },
);
