import { expect, test } from 'vitest';
import { errorInAnswer } from '#core/llm/errors/error-in-answer.ts';
import type { Answer } from '#test/llm/wire-server.ts';
import { KEY, OWN_WIRES, onEach, prepareWires } from './every-wire.ts';

const wires = prepareWires();

const whole = (body: unknown): Answer => ({
  headers: { 'content-type': 'application/json' },
  body: [JSON.stringify(body)],
});
const streamed = (body: unknown): Answer => ({ body: [`event: message\ndata: ${JSON.stringify(body)}\n\n`] });

async function codesOf(answer: Answer) {
  const codes: [string, string | undefined][] = [];
  for (const wire of OWN_WIRES) codes.push([wire, (await wires.ask(wire, answer)).code]);
  return Object.fromEntries(codes);
}

const base = (status_code: number, status_msg: string) => ({
  ...{ id: '', choices: null, object: 'chat.completion', usage: null },
  base_resp: { status_code, status_msg },
});

test.each([
  ['quota_exceeded', base(1008, 'insufficient balance')],
  ['quota_exceeded', base(2056, 'usage limit exceeded')],
  ['provider_rate_limited', base(1002, 'rate limit')],
  ['provider_rate_limited', base(1039, 'token limit')],
  ['provider_authentication_failed', base(1004, 'login fail')],
  ['provider_authentication_failed', base(2049, 'invalid api key')],
  ['provider_unavailable', base(1013, 'internal error')],
  ['context_length_exceeded', base(2013, 'invalid params, context window exceeds limit')],
  ['provider_authentication_failed', { error: { code: 'invalid_api_key', message: 'Invalid API key' } }],
  ['provider_authentication_failed', { error: 'Invalid API key', code: 'oh' }],
  ['provider_authentication_failed', [{ error: { code: 401, message: 'No' } }]],
  ['provider_authentication_failed', { code: 401, msg: '令牌已过期', success: false }],
  ['provider_authentication_failed', { statusCode: 401, message: 'Unauthorized' }],
  ['provider_authentication_failed', { success: false, errors: [{ code: 10000, message: 'Invalid API key' }] }],
  ['quota_exceeded', { code: 30001, message: 'Sorry, your account balance is insufficient', data: null }],
  ['quota_exceeded', { code: 402, message: 'No' }],
  ['quota_exceeded', { error_code: 17, error_msg: 'Open api daily request limit reached' }],
  ['provider_rate_limited', { error_code: 18, error_msg: 'Open api qps request limit reached' }],
  ['provider_rate_limited', { error: { type: 'too_many_tokens_error', message: 'Tokens per minute limit exceeded' } }],
  ['context_length_exceeded', { object: 'error', message: 'Prompt is too long', type: 'BadRequestError', code: 400 }],
  ['context_length_exceeded', { type: 'error', error: { type: 'oh', message: 'prompt is too long' } }],
  ['context_length_exceeded', { detail: 'The input is longer than the context length' }],
  ['provider_model_not_found', { status: 'error', message: 'Unknown model x' }],
  ['provider_model_not_found', { message: 'Model x does not exist' }],
  ['provider_unavailable', { error: { message: 'Something broke' } }],
  ['provider_bad_response', { error: { message: 'Unexpected token 1 while expecting start token 2', code: 400 } }],
  ['provider_authentication_failed', { data: { error: { code: 'invalid_api_key', message: 'Invalid API key' } } }],
  ['provider_authentication_failed', { choices: [{ index: 0, error: { code: 401, message: 'Invalid API key' } }] }],
])('an answer with status 200 is %s if it is %j', async (code, body) => {
  expect(await codesOf(whole(body))).toEqual(onEach(OWN_WIRES, code));
  expect(await codesOf(streamed(body))).toEqual(onEach(OWN_WIRES, code));
});

test('an event with the name error is an error with any data', async () => {
  const event = (data: string) => ({ body: [`event: error\ndata: ${data}\n\n`] });

  for (const wire of ['openai', 'responses', 'anthropic'] as const) {
    expect((await wires.ask(wire, event('{"message":"Invalid API key"}'))).code).toBe('provider_authentication_failed');
    expect((await wires.ask(wire, event('{}'))).code).toBe('provider_unavailable');
  }
});

test.each(['text/event-stream', 'text/plain', 'application/octet-stream'])(
  'an error is found in JSON with the content type %s',
  async (type) => {
    const body = [JSON.stringify({ error: { message: 'Invalid API key', code: 'invalid_api_key' } })];

    expect(await codesOf({ headers: { 'content-type': type }, body })).toEqual(
      onEach(OWN_WIRES, 'provider_authentication_failed'),
    );
  },
);

test('an error event without JSON is quoted', async () => {
  const { code, message } = await wires.ask('openai', { body: ['event: error\ndata: Invalid API key\n\n'] });

  expect(code).toBe('provider_authentication_failed');
  expect(message).toContain('openai says: "Invalid API key"');
});

test('the error in a chunk that a package cannot read is reported', async () => {
  const { code, message } = await wires.ask('pack', streamed(base(1008, 'insufficient balance')));

  expect(code).toBe('quota_exceeded');
  expect(message).toContain('pack says: "insufficient balance"');
});

test('the message of an error inside a 200 is quoted without the key', async () => {
  for (const wire of OWN_WIRES) {
    const { message } = await wires.ask(wire, whole(base(1008, `no balance for ${KEY}`)));

    expect(message).toContain(`${wire} says: "no balance for [redacted]"`);
  }
});

const chunk = { choices: [{ index: 0, delta: { content: 'Hi' } }] };

test.each([
  { ...chunk, error: null },
  { ...chunk, error: {} },
  { ...chunk, error: '' },
  { ...chunk, error: { code: 0, message: '' } },
  { ...chunk, error: { code: 0, message: 'Success' } },
  { ...chunk, x_groq: { id: 'req_1', usage: { prompt_tokens: 1 } } },
  { ...chunk, message: 'ok', code: 0 },
  { ...chunk, base_resp: { status_code: 0, status_msg: '' } },
  { choices: [], usage: { prompt_tokens: 1 } },
  { choices: [], prompt_filter_results: [] },
  { type: 'message_start', message: { content: [] } },
  { type: 'content_block_delta', delta: { type: 'text_delta', text: 'error' } },
  { type: 'message_stop' },
  { type: 'response.created', response: { object: 'response', status: 'in_progress', error: null } },
  { type: 'response.output_text.delta', delta: 'error' },
  { type: 'response.completed', response: { status: 'completed', error: null, incomplete_details: null } },
  { type: 'response.mcp_call.failed', item_id: 'mcp_1', error: { message: 'The server is away.' } },
  { type: 'response.notice', message: 'A model is about to be retired.' },
  { type: 'response.notice', detail: 'A model is about to be retired.' },
  { type: 'response.search.updated', status: 'failed' },
  { object: 'response', status: 'completed', error: null, output: [] },
  { object: 'response', status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' }, output: [] },
  { type: 'ping' },
  { type: 'ping', message: 'ping' },
  { type: 'warning', message: 'The model is about to be retired' },
  { object: 'debug', message: 'Routed to a replica' },
  { candidates: [{ content: { parts: [{ text: 'error' }] } }] },
  { usageMetadata: { promptTokenCount: 1 }, error: null },
  { promptFeedback: { blockReason: 'SAFETY' } },
  { status: 'processing' },
  { message: 'processing your request' },
  { code: 200, message: 'All is well', success: true },
  {},
  [],
  null,
  7,
  'text',
])('the value %j is not an error', (value) => {
  expect(errorInAnswer(value)).toBeUndefined();
});

test('an error beside choices is an error', () => {
  expect(errorInAnswer({ ...chunk, error: { message: 'Provider disconnected' } })).toBeDefined();
  expect(errorInAnswer({ ...chunk, error: { code: 0, message: 'Provider disconnected' } })).toBeDefined();
  expect(errorInAnswer({ ...chunk, error: { code: 500, message: 'Success' } })).toBeDefined();
});

test.each([
  ['flat', { type: 'error', code: 'invalid_api_key', message: 'Invalid API key', param: null, sequence_number: 2 }],
  ['nested', { type: 'error', error: { type: 'x', code: 'invalid_api_key', message: 'Invalid API key' } }],
  ['of the response', { type: 'response.failed', response: { status: 'failed', error: { code: 'invalid_api_key' } } }],
])('an error event of the Responses wire is an error if it is %s', async (_, body) => {
  for (const answer of [streamed(body), { body: [`data: ${JSON.stringify(body)}\n\n`] }]) {
    expect((await wires.ask('responses', answer)).code).toBe('provider_authentication_failed');
  }
});

test('an error under x_groq is the error of the reply', async () => {
  const broken = { choices: [{ index: 0, delta: {} }], x_groq: { id: 'req_1', error: 'The server is over capacity' } };
  const { code, message } = await wires.ask('openai', streamed(broken));

  expect(code).toBe('provider_overloaded');
  expect(message).toContain('openai says: "The server is over capacity"');
});

/** An object that cannot become a text, because `String` and `Number` throw. Any server can send such an object. */
const noText = { toString: null, valueOf: null };

test.each([
  ['type', { type: noText, error: { message: 'No' } }],
  ['code', { code: noText, message: 'No' }],
  ['message', { error: { message: noText, code: 7 } }],
  ['status', { status: noText, message: 'No' }],
  ['status_code', { base_resp: { status_code: noText, status_msg: 'No' } }],
  ['every field', { type: noText, status: noText, code: noText, message: noText, error: noText, object: noText }],
])('an answer is a provider failure on every wire if its %s is not a text', async (_field, body) => {
  const codes = Object.values({ ...(await codesOf(whole(body))), ...(await codesOf(streamed(body))) });

  expect(codes.filter((code) => !code?.startsWith('provider_'))).toEqual([]);
});

test.each([
  { type: 'heartbeat', message: 'still here' },
  { type: 'status', message: 'Model is loading' },
  { event: 'progress', message: 'step 2' },
])('a value is not an error if its kind shows that the server still works: %j', (value) => {
  expect(errorInAnswer(value)).toBeUndefined();
});

test('a message is not an error if its event shows that the server still works', () => {
  expect(errorInAnswer({ message: 'Model is loading' }, 'info')).toBeUndefined();
});

test.each([
  { type: 'ping', error: 'the upstream is gone' },
  { type: 'error', message: 'the status is unknown' },
  { status: 'failed', event: 'progress', message: 'no' },
])('a value that reports an error is an error, of any kind: %j', (value) => {
  expect(errorInAnswer(value)).toBe(value);
});
