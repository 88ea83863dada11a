import { Anthropic } from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import { OpenAI } from 'openai';
import { expect, test } from 'vitest';
import { anthropicProvider } from '#core/llm/anthropic/anthropic-provider.ts';
import { geminiProvider } from '#core/llm/gemini/gemini-provider.ts';
import { makeHttpClient } from '#core/llm/http/http-client.ts';
import { openaiProvider } from '#core/llm/openai/openai-provider.ts';
import { openaiResponsesProvider } from '#core/llm/openai-responses/openai-responses-provider.ts';
import type { Provider, RoundRequest } from '#core/llm/provider.ts';
import type { Message } from '#core/turn/message.ts';
import { Tool } from '#core/turn/request/tool.ts';
import { checkOpenaiResponses } from '#test/llm/check-wire/openai-responses.ts';
import { someRequest } from '#test/llm/provider-exam.ts';
import { endEvent } from '#test/llm/responses-events.ts';
import { type Asked, startWireServer } from '#test/llm/wire-server.ts';

const { post } = makeHttpClient();
const apiKey = 'some-key-123456';
const plain = { maxRetries: 0, logLevel: 'off' } as const;
type Ask = (origin: string, body: never) => Promise<unknown>;

/** Pairs of a provider of Pawl and the official client, with equal settings. */
const wires: [wire: string, ours: (origin: string) => Provider, theirs: Ask][] = [
  [
    'openai',
    (origin) => openaiProvider({ name: 'openai', apiKey, baseUrl: `${origin}/v1`, post }),
    (origin, body) => new OpenAI({ apiKey, baseURL: `${origin}/v1`, ...plain }).chat.completions.create(body),
  ],
  [
    'openai-responses',
    (origin) => openaiResponsesProvider({ name: 'openai', apiKey, baseUrl: `${origin}/v1`, post, promptCache: true }),
    (origin, body) => new OpenAI({ apiKey, baseURL: `${origin}/v1`, ...plain }).responses.create(body),
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
const request = { ...someRequest, tools: [Tool.parse({ name: 'get_weather', parameters })], maxOutputTokens: 900 };

test.each(wires)('%s: the official client sends the same request to the same path', async (_, ours, theirs) => {
  await using server = await startWireServer();
  const asking = ours(server.origin).ask(request, new AbortController().signal, () => undefined);
  await expect(asking).rejects.toMatchObject({ code: 'provider_unavailable' });

  await theirs(server.origin, server.asked[0]!.body as never).catch(() => undefined);

  const [sent, official] = server.asked;
  expect(received(sent!)).toEqual(received(official!));
});

type Params = OpenAI.Responses.ResponseCreateParamsStreaming;

/** A conversation with a picture, reasoning, a call and its result, in the types of the official client. */
const conversation: Params = {
  ...{ model: 'gpt-5.6', instructions: 'Be brief.', stream: true, store: false },
  input: [
    {
      type: 'message',
      role: 'user',
      content: [
        { type: 'input_text', text: 'Where is this?' },
        { type: 'input_image', image_url: 'https://example.com/a.png', detail: 'low' },
      ],
    },
    {
      type: 'reasoning',
      summary: [],
      encrypted_content: 'SEALED',
    } as unknown as OpenAI.Responses.ResponseReasoningItem,
    {
      ...{ type: 'message', role: 'assistant', phase: 'commentary' },
      content: [{ type: 'output_text', text: 'Let me look.', annotations: [] }],
    } as unknown as OpenAI.Responses.ResponseOutputMessage,
    { type: 'function_call', call_id: 'call_1', name: 'get_weather', arguments: '{"city":"Bern"}' },
    { type: 'function_call_output', call_id: 'call_1', output: 'It rains.' },
    { type: 'message', role: 'user', content: 'And now?' },
  ],
  tools: [{ type: 'function', name: 'get_weather', parameters, strict: false }],
  ...{ tool_choice: 'required', parallel_tool_calls: false, max_output_tokens: 900 },
  reasoning: { effort: 'low', summary: 'auto' },
  text: { verbosity: 'low', format: { type: 'json_schema', name: 'place', schema: parameters, strict: false } },
  include: ['reasoning.encrypted_content'],
  stream_options: { include_obfuscation: false },
  ...{ prompt_cache_key: 'key', prompt_cache_options: { ttl: '12h' } },
};

/** The items of the reply in that conversation, as its server sent them. */
const output = (conversation.input as { id?: string }[]).slice(1, 4).map((item, at) => ({ id: `item_${at}`, ...item }));

test('openai-responses: a conversation is sent as the official client sends it', async () => {
  await using server = await startWireServer();
  const ours = openaiResponsesProvider({
    name: 'openai',
    apiKey,
    baseUrl: `${server.origin}/v1`,
    post,
    promptCache: true,
  });
  const ask = (messages: Message[]) =>
    ours.ask({ ...request, ...settings, messages }, new AbortController().signal, () => undefined);
  const user: Message = {
    ...{ role: 'user', content: 'Where is this?' },
    parts: [
      { type: 'input_text', text: 'Where is this?' },
      { type: 'input_image', image_url: 'https://example.com/a.png', detail: 'low' },
    ],
  };
  server.answer({ body: [endEvent(output)] });
  const { text, calls, opaque: state } = await ask([user]);
  const said: Message = { role: 'assistant', content: text, calls, opaque: { provider: 'openai', state } };
  const result: Message = {
    ...{ role: 'tool', callId: 'call_1', name: 'get_weather' },
    content: 'It rains.',
    isError: false,
  };

  await ask([user, said, result, { role: 'user', content: 'And now?' }]);
  const client = new OpenAI({ apiKey, baseURL: `${server.origin}/v1`, ...plain });
  await client.responses.create(conversation).catch(() => undefined);

  const [, sent, official] = server.asked;
  expect(received(sent!)).toEqual(received(official!));
  expect(checkOpenaiResponses(sent!.body)).toEqual([]);
});

const settings: Partial<RoundRequest> = {
  ...{ model: 'gpt-5.6', toolChoice: 'required', parallelToolCalls: false, maxOutputTokens: 900 },
  ...{ reasoningEffort: 'low', reasoningSummary: 'auto', verbosity: 'low', promptCache: { ttl: '1h', key: 'key' } },
  textFormat: { type: 'json_schema', name: 'place', schema: parameters, strict: false },
};

/** Returns a request without headers that name the client, and without the second key header for gateways. */
function received({ path, headers, body }: Asked) {
  const own =
    /^(user-agent|x-stainless-.*|x-goog-api-client|x-client-request-id|x-api-key|accept.*|sec-fetch-.*|content-length)$/;
  return { path, body, headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !own.test(name))) };
}
