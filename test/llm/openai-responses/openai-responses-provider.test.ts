import { expect, test } from 'vitest';
import { makeHttpClient } from '#core/llm/http/http-client.ts';
import { openaiResponsesProvider } from '#core/llm/openai-responses/openai-responses-provider.ts';
import { httpExam, KEY } from '#test/llm/http-exam.ts';
import { providerExam, someRequest } from '#test/llm/provider-exam.ts';
import { endEvent, messageItem, responseObject, responseStream, responsesEvent } from '#test/llm/responses-events.ts';
import { responsesWire } from '#test/llm/responses-wire.ts';
import { type Answer, startWireServer } from '#test/llm/wire-server.ts';

const signal = new AbortController().signal;
const { post } = makeHttpClient();
const make = (origin: string, more: object = {}) =>
  openaiResponsesProvider({ name: 'openai', apiKey: KEY, baseUrl: `${origin}/v1`, post, ...more });

providerExam('openai-responses', (origin) => make(origin), responsesWire);
httpExam('openai-responses', make, {
  wire: responsesWire,
  path: /^\/v1\/responses$/,
  keyHeaders: { authorization: `Bearer ${KEY}` },
  body: {
    ...{ model: 'some-model', instructions: 'Be brief.', stream: true, store: false },
    include: ['reasoning.encrypted_content'],
    stream_options: { include_obfuscation: false },
    input: [{ type: 'message', role: 'user', content: 'Hi' }],
  },
});

async function ask(answer: Answer, more: object = {}) {
  await using server = await startWireServer(answer);
  const reply = await make(server.origin, more).ask(someRequest, signal, () => undefined);
  return { reply, asked: server.asked };
}

const json = { 'content-type': 'application/json' };
const hi = { body: responsesWire.reply({ text: ['Hi.'] }) };

test('the Responses wire reports its name, its cache times and its cache key', () => {
  expect(make('http://localhost')).toMatchObject({
    name: 'openai',
    capabilities: { wire: 'openai-responses', streaming: true, tools: true, structured_outputs: true },
  });
  expect(make('http://localhost', { promptCache: true })).toMatchObject({
    takesCacheKey: true,
    cacheTtls: ['5m', '1h'],
  });
  expect(make('http://localhost').cacheTtls).toBeUndefined();
});

test('the Responses wire gets its base URL at the first call from a function', async () => {
  await using server = await startWireServer(hi);

  await make('', { baseUrl: async () => `${server.origin}/other/v1` }).ask(someRequest, signal, () => undefined);

  expect(server.asked[0]!.path).toBe('/other/v1/responses');
});

const whole = responseStream([messageItem(['Hi.'])]);

test.each([
  ['before its first item', whole.slice(0, 2)],
  ['after a delta', whole.slice(0, 5)],
  ['after its only item is done', whole.slice(0, -1)],
  ['with [DONE] in place of its last event', [...whole.slice(0, -1), 'data: [DONE]\n\n']],
])('a stream of the Responses wire that ends %s was interrupted', async (_, body) => {
  for (const ending of ['end', 'cut'] as const) {
    await expect(ask({ body, ending })).rejects.toMatchObject({
      code: 'provider_unavailable',
      retry: { kind: 'later' },
    });
  }
});

test.each([
  ['response.mcp_call.failed', { item_id: 'mcp_1', error: { code: 'server_error', message: 'Away.' } }],
  ['response.mcp_list_tools.failed', { item_id: 'mcp_1', error: 'Away.' }],
  ['response.notice', { message: 'A model is about to be retired.' }],
  ['response.notice', { detail: 'A model is about to be retired.', success: false }],
  ['response.search.updated', { status: 'failed', response: { error: { message: 'Away.' } } }],
])('an unknown event is ignored: %s with %j', async (type, more) => {
  const event = responsesEvent(type, more);

  const { reply } = await ask({
    body: [event, ...whole.slice(0, 5), event, ...whole.slice(5, -1), event, whole.at(-1)!],
  });

  expect(reply).toMatchObject({ text: 'Hi.', finishReason: 'stop' });
});

const failed = (error: object | null, output: object[] = []) => endEvent(output, { status: 'failed', error });

test('a response that failed without a status and an error is retried', async () => {
  for (const response of [{}, { status: 'in_progress' }, { status: 'completed', error: null }]) {
    const body = [...whole.slice(0, -1), responsesEvent('response.failed', { response })];

    await expect(ask({ body })).rejects.toMatchObject({ retry: { kind: 'later' } });
  }
});

/** The codes of OpenAI's Responses for an invalid request. */
const INVALID = [
  ...['invalid_prompt', 'data_residency_mismatch', 'invalid_image', 'invalid_image_format', 'invalid_base64_image'],
  ...['invalid_image_url', 'image_too_large', 'image_too_small', 'image_parse_error', 'invalid_image_mode'],
  ...['image_file_too_large', 'unsupported_image_media_type', 'empty_image_file', 'failed_to_download_image'],
  'image_file_not_found',
];

test.each<[error: object | null, code: unknown, kind: string]>([
  ...INVALID.map(
    (code) => [{ code, message: 'Oh' }, 'provider_invalid_request', 'never'] satisfies [object, string, string],
  ),
  [
    { code: 'invalid_image_url', message: 'Timeout while downloading https://example.com/a.png.' },
    'provider_invalid_request',
    'never',
  ],
  [
    { code: 'failed_to_download_image', message: 'Error while downloading file. Upstream status code: 404.' },
    'provider_invalid_request',
    'never',
  ],
  [
    { code: 'image_too_large', message: 'The image is too large. Its size exceeds the limit of 20 MB.' },
    'provider_invalid_request',
    'never',
  ],
  [
    { code: 'rate_limit_exceeded', message: 'Rate limit reached on tokens per min (TPM): Limit 30000, Used 29000.' },
    'provider_rate_limited',
    'rate-limited',
  ],
  [{ code: 'vector_store_timeout', message: 'Oh' }, 'provider_timeout', 'later'],
  [{ code: 'server_error', message: 'Oh' }, 'provider_unavailable', 'later'],
  [{ code: 'rate_limit_exceeded', message: 'Slow down' }, 'provider_rate_limited', 'rate-limited'],
  [{ code: 'invalid_api_key', message: 'Incorrect API key provided' }, 'provider_authentication_failed', 'never'],
  [{ code: 'context_length_exceeded', message: 'Too long' }, 'context_length_exceeded', 'never'],
  [{ code: 'insufficient_quota', message: 'You exceeded your current quota' }, 'quota_exceeded', 'never'],
  [null, expect.stringMatching(/^provider_(unavailable|bad_response)$/), 'later'],
])('a response that failed after its text with %j is the failure %s', async (error, code, kind) => {
  const item = messageItem(['Half']).item;
  const begun = whole.slice(0, -1);

  const asked = [
    ask({ body: [...begun, failed(error, [item])] }),
    ask({ body: [...begun, responsesEvent('error', { ...error }), failed(error)] }),
    ask({ headers: json, body: [JSON.stringify(responseObject([item], { status: 'failed', error }))] }),
  ];

  for (const failure of await Promise.allSettled(asked)) {
    expect(failure).toMatchObject({ status: 'rejected', reason: { code, retry: { kind } } });
  }
});

test.each(['content_filter', 'bio_policy', 'misalignment_policy_violation', 'image_content_policy_violation'])(
  'a filter that fails a response with %s keeps the text so far',
  async (code) => {
    const { reply } = await ask({ body: [...whole.slice(0, -1), failed({ code, message: 'It was filtered.' })] });

    expect(reply).toMatchObject({ text: 'Hi.', finishReason: 'content_filter' });
  },
);
