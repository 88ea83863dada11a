import { expect, test } from 'vitest';
import { renderRequest as renderAiSdk } from '#core/llm/ai-sdk/request/render-request.ts';
import { renderRequest as renderAnthropic } from '#core/llm/anthropic/render-request.ts';
import { renderRequest as renderGemini } from '#core/llm/gemini/render-request.ts';
import { writeBody } from '#core/llm/http/write-body.ts';
import { leaveOutNulls } from '#core/llm/leave-out-nulls.ts';
import { renderRequest as renderOpenai } from '#core/llm/openai/render-request.ts';
import { someRequest } from '#test/llm/provider-exam.ts';

const written = async (body: object) => JSON.parse(Buffer.from(await writeBody(body)).toString());
const asking = (providerOptions: Record<string, unknown>) => ({
  ...{ ...someRequest, temperature: 1, maxOutputTokens: 9, reasoningEffort: 'low' as const, providerOptions },
});

test('a null removes its field from a Chat Completions request, except stream', async () => {
  const request = asking({ stream_options: null, max_tokens: null, stream: null, top_k: 5 });

  expect(await written(renderOpenai(request, { provider: 'x', maxTokensField: 'max_tokens' }))).toEqual({
    ...{ model: 'some-model', messages: expect.any(Array), temperature: 1, reasoning_effort: 'low' },
    ...{ top_k: 5, stream: true },
  });
});

test('a null removes its field from a Messages request', async () => {
  const body = await written(renderAnthropic(asking({ temperature: null, output_config: null }), 'x'));

  expect(Object.keys(body).sort()).toEqual(['max_tokens', 'messages', 'model', 'stream', 'system']);
});

test('a null removes its field from a generateContent request at each depth', async () => {
  const options = {
    temperature: null,
    thinkingConfig: { thinkingLevel: null, thinkingBudget: 0 },
    systemInstruction: null,
  };

  expect(await written(renderGemini(asking(options), 'x'))).toEqual({
    contents: expect.any(Array),
    generationConfig: { maxOutputTokens: 9, thinkingConfig: { thinkingBudget: 0 } },
  });
});

test('a null removes its field from the options of a package', () => {
  const options = { mistral: { safePrompt: null, documentPageLimit: 3 } };
  const { providerOptions } = renderAiSdk(asking(options), { provider: 'mistral', mayShow: () => true });

  expect(JSON.parse(JSON.stringify(providerOptions))).toEqual({ mistral: { documentPageLimit: 3 } });
});

test('options without a null stay unchanged', () => {
  const options = { seed: 0, stop: '', user: false };

  expect(leaveOutNulls(options)).toBe(options);
});
