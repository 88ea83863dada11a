import { expect, test } from 'vitest';
import { anthropicProvider } from '#core/llm/anthropic/anthropic-provider.ts';
import { makeHttpClient } from '#core/llm/http/http-client.ts';
import { openaiProvider } from '#core/llm/openai/openai-provider.ts';
import { openaiResponsesProvider } from '#core/llm/openai-responses/openai-responses-provider.ts';
import type { RoundRequest } from '#core/llm/provider.ts';
import { anthropicWire } from '#test/llm/anthropic-wire.ts';
import { openaiWire } from '#test/llm/openai-wire.ts';
import { someRequest } from '#test/llm/provider-exam.ts';
import { responsesWire } from '#test/llm/responses-wire.ts';
import { type Answer, startWireServer } from '#test/llm/wire-server.ts';

const { post } = makeHttpClient();
const about = { name: 'gateway', apiKey: null, post };
const WIRES = {
  anthropic: {
    wire: anthropicWire,
    make: (baseUrl: string) => anthropicProvider({ ...about, baseUrl, promptCache: true }),
    field: 'cache_control',
    words: [
      'messages.0.content.0.text.cache_control: Extra inputs are not permitted',
      'cache_control is not supported by this model',
      'cacheControl: unknown field',
      'You invoked an unsupported model or your request did not allow prompt caching.',
    ],
    own: { system: [{ type: 'text', text: 'Mine.', cache_control: { type: 'ephemeral' } }] },
  },
  openai: {
    wire: openaiWire,
    make: (origin: string) => openaiProvider({ ...about, baseUrl: `${origin}/v1`, cacheKey: true }),
    field: 'prompt_cache_key',
    words: [
      'Unrecognized request argument supplied: prompt_cache_key',
      'prompt_cache_key: Extra inputs are not permitted',
    ],
    own: { prompt_cache_key: 'mine' },
  },
  responses: {
    wire: responsesWire,
    make: (origin: string) => openaiResponsesProvider({ ...about, baseUrl: `${origin}/v1`, promptCache: true }),
    field: 'prompt_cache_key',
    words: [
      "Unknown parameter: 'prompt_cache_key'.",
      'prompt_cache_key: Extra inputs are not permitted',
      "Unsupported parameter: 'prompt_cache_key' is not supported with this model.",
    ],
    own: { prompt_cache_key: 'mine' },
  },
} as const;
type Wire = keyof typeof WIRES;
const names = Object.keys(WIRES) as Wire[];
const cases = names.flatMap((name) => WIRES[name].words.map((words) => [name, words] as const));

const refuse = (message: string, status = 400): Answer => ({
  ...{ status, headers: { 'content-type': 'application/json' } },
  body: [JSON.stringify({ type: 'error', error: { message, type: 'invalid_request_error' } })],
});

/** Starts a provider of this wire with a cache. Its server gives these answers first, and then a reply. */
async function start(name: Wire, ...refusals: Answer[]) {
  const { wire, make, field } = WIRES[name];
  const server = await startWireServer(...refusals, { body: wire.reply({ text: ['Hi.'] }) });
  const provider = make(server.origin);
  const ask = (change: Partial<RoundRequest> = {}) => {
    const request = { ...someRequest, promptCache: { ttl: null, key: 'key' }, ...change };
    return provider.ask(request, new AbortController().signal, () => {});
  };
  const sent = () => server.asked.map(({ body }) => JSON.stringify(body).includes(`"${field}"`));
  return { server, ask, sent, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

test.each(cases)('%s: the cache field is omitted at once and later if the server says %j', async (name, words) => {
  await using gateway = await start(name, refuse(words));

  const reply = await gateway.ask();
  await gateway.ask();
  await gateway.ask({ model: 'other-model' });

  expect(reply.text).toBe('Hi.');
  expect(gateway.sent()).toEqual([true, false, false, true]);
});

test.each(names)('%s: a request without a cache has no cache field', async (name) => {
  await using gateway = await start(name);

  await gateway.ask({ promptCache: null });

  expect(gateway.sent()).toEqual([false]);
});

test.each(names)('%s: a refused cache field of the caller fails the turn', async (name) => {
  await using gateway = await start(name, refuse(WIRES[name].words[0]), refuse('never asked'));

  const asked = gateway.ask({ providerOptions: WIRES[name].own });

  await expect(asked).rejects.toMatchObject({ provider: { status: 400 } });
  expect(gateway.server.asked.map(({ body }) => body)).toMatchObject([WIRES[name].own]);
});

test.each(names)('%s: a refusal of other fields fails the request', async (name) => {
  await using gateway = await start(name, refuse('temperature: must be at most 1'));

  await expect(gateway.ask()).rejects.toMatchObject({ provider: { status: 400 } });
  expect(gateway.server.asked).toHaveLength(1);
});

test('a refusal of the cache marks in one history is not remembered', async () => {
  await using gateway = await start(
    'anthropic',
    refuse('A maximum of 4 blocks with cache_control may be provided. Found 5.'),
  );

  await gateway.ask();
  await gateway.ask();

  expect(gateway.sent()).toEqual([true, false, true]);
});

test('a refused cache ttl is a warning of each reply', async () => {
  await using gateway = await start('anthropic', refuse(WIRES.anthropic.words[0]));
  const promptCache = { ttl: '1h', key: 'key' } as const;

  const replies = [await gateway.ask({ promptCache }), await gateway.ask({ promptCache }), await gateway.ask()];

  const warning = 'prompt_cache "1h" was refused by gateway and left out';
  expect(replies.map(({ warnings }) => warnings)).toEqual([[warning], [warning], undefined]);
});

test('only a refused cache ttl is omitted, and cache marks without a ttl stay', async () => {
  const words = 'system.0.cache_control.ephemeral.ttl: Extra inputs are not permitted';
  await using gateway = await start('anthropic', refuse(words));

  const { warnings } = await gateway.ask({ promptCache: { ttl: '1h', key: 'key' } });
  await gateway.ask({ promptCache: { ttl: '5m', key: 'key' } });

  expect(gateway.sent()).toEqual([true, true, true]);
  expect(gateway.server.asked.map(({ body }) => JSON.stringify(body).includes('"ttl"'))).toEqual([true, false, false]);
  expect(warnings).toEqual(['prompt_cache "1h" was refused by gateway and left out']);
});

test('a model without a cache may refuse it with status 403', async () => {
  await using gateway = await start('anthropic', refuse('Your request did not allow prompt caching.', 403));

  expect((await gateway.ask()).text).toBe('Hi.');
});

test('an error that quotes the request does not remove cache fields', async () => {
  await using gateway = await start('openai', refuse('You must retry. Request: {"prompt_cache_key":"key"}', 500));

  await expect(gateway.ask()).rejects.toMatchObject({ provider: { status: 500 } });
  await gateway.ask();

  expect(gateway.sent()).toEqual([true, true]);
});

const echo = '{"model":"claude","system":[{"cache_control":{"type":"ephemeral"}}],"note":"unknown"}';

test.each([
  [
    'a history that is too long',
    refuse(`prompt is too long: 300000 tokens > 200000 maximum. Consider prompt caching. ${echo}`),
  ],
  ['an error that quotes the request', refuse(`temperature: unknown value. ${echo}`)],
  ['a server that is overloaded', refuse('Overloaded: prompt caching service is busy', 529)],
])('cache marks stay after %s', async (_, refusal) => {
  await using gateway = await start('anthropic', refusal);

  await expect(gateway.ask()).rejects.toThrow();
  await gateway.ask();

  expect(gateway.sent()).toEqual([true, true]);
});

test.each<[string, Partial<RoundRequest>]>([
  ['without a cache', { promptCache: null }],
  ['with marks of the caller', { providerOptions: WIRES.anthropic.own }],
])('a request %s does not remove cache marks', async (_, change) => {
  await using gateway = await start('anthropic', refuse('system.0.cache_control.foo: Extra inputs are not permitted'));

  await expect(gateway.ask(change)).rejects.toMatchObject({ provider: { status: 400 } });
  const { warnings } = await gateway.ask({ promptCache: { ttl: '1h', key: 'key' } });

  expect(gateway.sent().at(-1)).toBe(true);
  expect(warnings).toBeUndefined();
});

test('refused marks and thoughts are both omitted, but only marks later too', async () => {
  const signed = { type: 'thinking', thinking: 'Hm.', signature: 'SIGNED' };
  const opaque = { provider: 'gateway', state: { blocks: [signed, { type: 'text', text: 'Hi.' }] } };
  const messages: RoundRequest['messages'] = [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: 'Hi.', calls: [], opaque },
    { role: 'user', content: 'And?' },
  ];
  const refusals = [
    refuse('messages.1.content.0: Invalid `signature` in `thinking` block'),
    refuse(WIRES.anthropic.words[0]),
  ];
  await using gateway = await start('anthropic', ...refusals);

  await gateway.ask({ messages });
  await gateway.ask({ messages });

  expect(gateway.sent()).toEqual([true, true, false, false]);
  const bodies = gateway.server.asked.map(({ body }) => JSON.stringify(body).includes('SIGNED'));
  expect(bodies).toEqual([true, false, false, true]);
});
