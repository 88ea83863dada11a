import { expect, test } from 'vitest';
import { makeHttpClient } from '#core/llm/http/http-client.ts';
import { openaiResponsesProvider } from '#core/llm/openai-responses/openai-responses-provider.ts';
import type { RoundRequest } from '#core/llm/provider.ts';
import { someRequest } from '#test/llm/provider-exam.ts';
import { responsesWire } from '#test/llm/responses-wire.ts';
import { type Answer, startWireServer } from '#test/llm/wire-server.ts';

const { post } = makeHttpClient();
const hi: Answer = { body: responsesWire.reply({ text: ['Hi.'] }) };

/** Returns a refusal in the form of OpenAI. The Responses API often has no code. */
const refuse = (message: string, param: string | null = null, status = 400): Answer => ({
  ...{ status, headers: { 'content-type': 'application/json' } },
  body: [JSON.stringify({ error: { message, type: status < 500 ? 'invalid_request_error' : 'server_error', param } })],
});

/** Starts a Responses provider with a cache. Its server gives these answers first, and then replies. */
async function start(...refusals: Answer[]) {
  const server = await startWireServer(...refusals, hi);
  const provider = openaiResponsesProvider({
    name: 'gateway',
    apiKey: null,
    baseUrl: server.origin,
    post,
    promptCache: true,
  });
  const ask = (change: Partial<RoundRequest> = {}) => {
    const request: RoundRequest = { ...someRequest, promptCache: { ttl: '1h', key: 'key' }, ...change };
    return provider.ask(request, new AbortController().signal, () => {});
  };
  const sent = (field: string) => server.asked.map(({ body }) => field in body);
  return { server, ask, sent, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

/** The param in OpenAI's error for an invalid value. */
const PARAMS: Record<string, string> = { include: 'include[0]', prompt_cache_options: 'prompt_cache_options.ttl' };
const FIELDS = ['include', 'stream_options', 'prompt_cache_key', 'prompt_cache_options'];
const refusals = FIELDS.flatMap((field) => [
  [field, `Unknown parameter: '${field}'.`],
  [field, `Unsupported parameter: '${field}' is not supported with this model.`],
  [field, `${field}: Extra inputs are not permitted`],
  [field, `Unrecognized request argument supplied: ${field}`],
  [field, `body -> ${field}: property is not allowed`],
]);

test.each([
  ...refusals,
  ['include', 'Encrypted content is not supported with this model.'],
  ['include', "Invalid value: 'reasoning.encrypted_content'. Supported values are: 'file_search_call.results'."],
  ['stream_options', "Unknown parameter: 'stream_options.include_obfuscation'."],
  ['prompt_cache_options', "Unknown parameter: 'prompt_cache_options.ttl'."],
  ['prompt_cache_options', "Invalid value: '12h'. Supported values are: '30m'."],
  ['prompt_cache_options', 'Prompt cache options are not supported with this model.'],
  ['include', "include.0: Input should be 'file_search_call.results'"],
  ['include', "The value 'reasoning.encrypted_content' is not valid for include."],
  ['include', "[{'loc': ('body', 'include', 0), 'msg': \"Input should be 'message.input_image.image_url'\"}]"],
])('the field %s is omitted at once and later if the Responses server says %j', async (field, words) => {
  await using gateway = await start(refuse(words, words.startsWith('Invalid value') ? PARAMS[field] : null));

  const reply = await gateway.ask();
  await gateway.ask();
  await gateway.ask({ model: 'other-model' });

  expect(reply.text).toBe('Hi.');
  expect(reply).not.toHaveProperty('leftStateOut');
  expect(gateway.sent(field)).toEqual([true, false, false, true]);
  for (const other of FIELDS.filter((each) => each !== field)) {
    expect(gateway.sent(other)).toEqual([true, true, true, true]);
  }
});

test('a pydantic refusal of include leads to a request without include', async () => {
  const refused = {
    type: 'literal_error',
    loc: ['body', 'include', 0],
    msg: "Input should be 'file_search_call.results'",
  };
  const input = 'reasoning.encrypted_content';
  await using gateway = await start({
    ...refuse('', null, 422),
    body: [JSON.stringify({ detail: [{ ...refused, input }] })],
  });

  expect((await gateway.ask()).text).toBe('Hi.');
  expect(gateway.sent('include')).toEqual([true, false]);
});

test.each(FIELDS)('the code of a refusal identifies %s if its text does not', async (field) => {
  const error = { message: 'Unsupported parameter.', param: field, code: 'unsupported_parameter' };
  const refusal = { ...refuse(''), body: [JSON.stringify({ error })] };
  await using gateway = await start(refusal);

  expect((await gateway.ask()).text).toBe('Hi.');
  expect(gateway.sent(field)).toEqual([true, false]);
});

test('a Responses server may refuse all added fields in sequence', async () => {
  await using gateway = await start(...FIELDS.map((field) => refuse(`Unknown parameter: '${field}'.`, field)));

  await gateway.ask();
  await gateway.ask();

  expect(gateway.server.asked).toHaveLength(FIELDS.length + 2);
  for (const field of FIELDS) expect(gateway.sent(field).slice(-2)).toEqual([false, false]);
});

test('a refusal of sealed reasoning omits only the state, and only once', async () => {
  const message = 'The reasoning.encrypted_content of item rs_1 could not be verified.';
  const error = { message, type: 'invalid_request_error', param: null, code: 'invalid_encrypted_content' };
  await using gateway = await start({ ...refuse(''), body: [JSON.stringify({ error })] });
  const items = [
    { type: 'reasoning', summary: [], encrypted_content: 'SEALED' },
    { type: 'web_search_call', id: 'ws_1' },
  ];
  const opaque = { provider: 'gateway', state: { items } };
  const messages: RoundRequest['messages'] = [{ role: 'assistant', content: null, calls: [], opaque }];

  const reply = await gateway.ask({ messages });
  await gateway.ask({ messages });

  expect(reply).toMatchObject({ text: 'Hi.', leftStateOut: true });
  const sealed = gateway.server.asked.map(({ body }) => JSON.stringify(body).includes('SEALED'));
  expect(sealed).toEqual([true, false, true]);
  for (const field of FIELDS) expect(gateway.sent(field)).toEqual([true, true, true]);
});

test('a refusal of an added field inside a 200 counts', async () => {
  const error = { message: 'Encrypted content is not supported with this model.', param: 'include', code: null };
  const inside = `event: error\ndata: ${JSON.stringify({ type: 'error', error })}\n\n`;
  await using gateway = await start({ body: [inside] });

  expect((await gateway.ask()).text).toBe('Hi.');
  expect(gateway.sent('include')).toEqual([true, false]);
});

test.each([
  ['include', { include: ['web_search_call.results'] }],
  ['prompt_cache_options', { prompt_cache_options: { ttl: '30m' } }],
  ['stream_options', { stream_options: { include_obfuscation: true } }],
])('a refused %s of the caller fails the turn', async (field, providerOptions) => {
  await using gateway = await start(refuse(`Unknown parameter: '${field}'.`, field), refuse('asked too often'));

  await expect(gateway.ask({ providerOptions })).rejects.toMatchObject({ provider: { status: 400 } });
  expect(gateway.server.asked.at(-1)?.body).toMatchObject(providerOptions);
});

test.each([
  ["Unsupported parameter: 'temperature' is not supported with this model.", 'temperature'],
  ["Unsupported parameter: 'reasoning.effort' is not supported with this model.", 'reasoning.effort'],
  ['Invalid schema: the response must include a name', 'tools[0].parameters'],
  ["Invalid 'input[0].content': the text must include the word json", 'input'],
])('a refusal of other fields fails the request: %j', async (words, param) => {
  await using gateway = await start(refuse(words, param));

  await expect(gateway.ask()).rejects.toMatchObject({ provider: { status: 400 } });
  expect(gateway.server.asked).toHaveLength(1);
});

test.each([
  ['a server that is overloaded', refuse('Overloaded: prompt caching service is busy', null, 529)],
  ['a limit of requests', refuse('Too many requests with stream_options', null, 429)],
  ['an error that quotes the request', refuse('Oh. Request: {"include":["reasoning.encrypted_content"]}', null, 500)],
])('added fields stay after %s', async (_, refusal) => {
  await using gateway = await start(refusal);

  await expect(gateway.ask()).rejects.toThrow();
  await gateway.ask();

  for (const field of FIELDS) expect(gateway.sent(field)).toEqual([true, true]);
});

test('a cache ttl that a Responses server refuses is a warning of each reply', async () => {
  await using gateway = await start(refuse("Unknown parameter: 'prompt_cache_options'.", 'prompt_cache_options'));

  const replies = [
    await gateway.ask(),
    await gateway.ask(),
    await gateway.ask({ promptCache: { ttl: null, key: 'k' } }),
  ];

  const warning = 'prompt_cache "1h" was refused by gateway and left out';
  expect(replies.map(({ warnings }) => warnings)).toEqual([[warning], [warning], undefined]);
});
