import { Anthropic } from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import { OpenAI } from 'openai';
import { expect, test } from 'vitest';
import { anthropicProvider } from '#core/llm/anthropic/anthropic-provider.ts';
import { geminiProvider } from '#core/llm/gemini/gemini-provider.ts';
import { makeHttpClient } from '#core/llm/http/http-client.ts';
import { openaiProvider } from '#core/llm/openai/openai-provider.ts';
import type { Provider } from '#core/llm/provider.ts';
import { Tool } from '#core/turn/request/tool.ts';
import { someRequest } from '#test/llm/provider-exam.ts';
import { type Asked, startWireServer } from '#test/llm/wire-server.ts';

const { post } = makeHttpClient();
const apiKey = 'some-key-123456';
const plain = { maxRetries: 0, logLevel: 'off' } as const;
type Ask = (origin: string, body: never) => Promise<unknown>;

/** How a provider of ours and the official client are set to send the same. */
const wires: [wire: string, ours: (origin: string) => Provider, theirs: Ask][] = [
  [
    'openai',
    (origin) => openaiProvider({ name: 'openai', apiKey, baseUrl: `${origin}/v1`, post }),
    (origin, body) => new OpenAI({ apiKey, baseURL: `${origin}/v1`, ...plain }).chat.completions.create(body),
  ],
  [
    'anthropic',
    (origin) => anthropicProvider({ name: 'anthropic', apiKey, baseUrl: origin, post }),
    (origin, body) => new Anthropic({ apiKey, baseURL: origin, ...plain }).messages.create(body),
  ],
  [
    'gemini',
    (origin) => geminiProvider({ name: 'gemini', apiKey, baseUrl: origin, post }),
    (origin, { contents, generationConfig, ...config }: { contents: []; generationConfig: object }) =>
      new GoogleGenAI({ apiKey, httpOptions: { baseUrl: origin } }).models.generateContentStream({
        model: someRequest.model,
        contents,
        config: { ...config, ...generationConfig },
      }),
  ],
];

const parameters = { type: 'object', properties: { city: { type: 'string' } } };
const request = { ...someRequest, tools: [Tool.parse({ name: 'get_weather', parameters })], maxOutputTokens: 9 };

test.each(wires)('%s: the official client sends the same to the same place', async (_, ours, theirs) => {
  await using server = await startWireServer();
  const asking = ours(server.origin).ask(request, new AbortController().signal, () => undefined);
  await expect(asking).rejects.toMatchObject({ code: 'provider_unavailable' });

  await theirs(server.origin, server.asked[0]!.body as never).catch(() => undefined);

  const [sent, official] = server.asked;
  expect(told(sent!)).toEqual(told(official!));
});

/** Without what only names the client and the request, and without the second header in which gateways look for a key. */
function told({ path, headers, body }: Asked) {
  const own =
    /^(user-agent|x-stainless-.*|x-goog-api-client|x-client-request-id|x-api-key|accept.*|sec-fetch-.*|content-length)$/;
  return { path, body, headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !own.test(name))) };
}
