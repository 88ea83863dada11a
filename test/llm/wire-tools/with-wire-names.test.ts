import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Delta, Provider } from '#core/llm/provider.ts';
import { configureProviders } from '#core/llm/providers.ts';
import { findWireNames, renameProperties } from '#core/llm/wire-tools/property-names.ts';
import { renameKeys } from '#core/llm/wire-tools/rename-keys.ts';
import { Tool } from '#core/turn/request/tool.ts';
import { checkAnthropic } from '#test/llm/check-wire/anthropic.ts';
import { checkGemini } from '#test/llm/check-wire/gemini.ts';
import { checkOpenaiResponses } from '#test/llm/check-wire/openai-responses.ts';
import { startWireServer } from '#test/llm/wire-server.ts';
import { anthropicWire } from '../anthropic-wire.ts';
import { geminiWire } from '../gemini-wire.ts';
import { openaiWire } from '../openai-wire.ts';
import { responsesWire } from '../responses-wire.ts';
import { someArguments, someSchema } from './arbitrary-schema.ts';

const nested = { type: 'object', properties: { 'a b': { type: 'string' } }, required: ['a b'] };
const parameters = {
  type: 'object',
  properties: {
    $top: { type: 'integer' },
    'filter[name]': { type: 'string', description: 'A name' },
    list: { type: 'array', items: { anyOf: [{ $ref: '#/$defs/kid' }, { type: 'null' }] } },
    free: { type: 'object', additionalProperties: true },
  },
  required: ['$top'],
  $defs: { kid: nested },
};
const query = Tool.parse({ name: 'query', description: 'Asks', parameters });
const other = Tool.parse({ name: 'other', description: 'Another' });

const own = { $top: 1, 'filter[name]': 'x', list: [{ 'a b': 'y' }, null], free: { _top: 2, a_b: 3 } };
const onWire = { _top: 1, filter_name_: 'x', list: [{ a_b: 'y' }, null], free: { _top: 2, a_b: 3 } };

const wires = [
  { kind: 'openai', wire: openaiWire, model: 'anthropic/claude-sonnet-4.5', path: '/v1', check: () => [] },
  {
    ...{ kind: 'openai-responses', wire: responsesWire, model: 'anthropic/claude-sonnet-4.5', path: '/v1' },
    check: (body: object) => checkOpenaiResponses(body, { reasons: () => true }),
  },
  { kind: 'anthropic', wire: anthropicWire, model: 'claude-sonnet-4-5', path: '', check: checkAnthropic },
  {
    kind: 'gemini',
    wire: geminiWire,
    model: 'gemini-2.5-pro',
    path: '',
    check: (body: object) => checkGemini(body, 'gemini-2.5-pro'),
  },
];

function request(model: string, args: string) {
  const calls = [{ id: 'call_1', name: 'query', arguments: args }];
  return {
    ...{ round: 2, model, instructions: null, tools: [query, other], declaredTools: [query, other] },
    messages: [
      { role: 'user' as const, content: 'Ask' },
      { role: 'assistant' as const, content: null, calls },
      { role: 'tool' as const, callId: 'call_1', name: 'query', content: 'done', isError: false },
    ],
    ...{ mayCall: true, turnChoice: 'auto' as const, promptCache: null, serviceTier: null },
    ...{ toolChoice: 'auto' as const, parallelToolCalls: null, temperature: null, topP: null, reasoningEffort: null },
    ...{ reasoningSummary: null, verbosity: null, stop: null, seed: null, textFormat: null, maxOutputTokens: null },
    ...{ providerOptions: {}, requestId: 'turn_1' },
  };
}

async function ask(provider: Provider, given: Parameters<Provider['ask']>[0]) {
  const deltas: Delta[] = [];
  const reply = await provider.ask(given, new AbortController().signal, (delta) => void deltas.push(delta));
  const texts = reply.calls.map((_, at) =>
    deltas.map((delta) => (delta.kind === 'tool-arguments' && delta.index === at ? delta.text : '')).join(''),
  );
  return { reply, texts };
}

test.each(wires)(
  '$kind: property names are replaced on the wire and restored',
  async ({ kind, wire, model, path, check }) => {
    await using server = await startWireServer();
    const providers = configureProviders(
      { PAWL_PROVIDERS: JSON.stringify({ p: { kind, base_url: `${server.origin}${path}`, api_key: 'k' } }) },
      { baseUrl: async () => server.origin },
    );
    const text = JSON.stringify(onWire);
    const calls = [
      { id: 'call_2', name: 'query', arguments: [text.slice(0, 9), text.slice(9)] },
      { id: 'call_3', name: 'other', arguments: ['{"_top":1}'] },
    ];
    server.answer({ body: wire.reply({ calls }) });

    const { reply, texts } = await ask(providers.find('p'), request(model, JSON.stringify(own)));
    await providers.close();

    const sent = JSON.stringify(server.asked[0]!.body);
    expect(check(server.asked[0]!.body)).toEqual([]);
    expect(sent).toContain('filter_name_');
    expect(sent).not.toContain('"filter[name]":');
    expect(sent).not.toContain('"$top":');
    expect(reply.calls.map((call) => JSON.parse(call.arguments))).toEqual([own, { _top: 1 }]);
    expect(texts).toEqual(reply.calls.map((call) => call.arguments));
  },
);

test('arguments that are not an object stay unchanged', async () => {
  await using server = await startWireServer();
  const env = { ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: server.origin };
  const providers = configureProviders(env, { baseUrl: async () => server.origin });
  server.answer({ body: anthropicWire.reply({ calls: [{ id: 'call_2', name: 'query', arguments: ['{"_top": '] }] }) });

  const { reply, texts } = await ask(providers.find('anthropic'), request('claude-sonnet-4-5', '[1]'));
  await providers.close();

  expect(reply.calls[0]?.arguments).toBe('{"_top": ');
  expect(texts).toEqual(['{"_top": ']);
});

test('a request with valid property names is sent unchanged', async () => {
  await using server = await startWireServer();
  const env = { OPENAI_API_KEY: 'k', OPENAI_BASE_URL: `${server.origin}/v1` };
  const providers = configureProviders(env, { baseUrl: async () => server.origin });
  const args = ['{"$top"', ': 1}'];
  server.answer({ body: openaiWire.reply({ calls: [{ id: 'call_2', name: 'query', arguments: args }] }) });

  const { reply } = await ask(providers.find('openai'), request('gpt-4.1', JSON.stringify(own)));
  await providers.close();

  expect(JSON.stringify(server.asked[0]!.body)).toContain('"filter[name]":');
  expect(reply.calls[0]?.arguments).toBe('{"$top": 1}');
});

test('arguments are equal after the conversion to the wire and back', () => {
  const rules = { allowed: /^[a-zA-Z0-9_.-]{1,64}$/, others: /[^a-zA-Z0-9_.-]/g };
  fc.assert(
    fc.property(someSchema, someArguments, (schema, args) => {
      const names = findWireNames(schema, rules);
      if (names === null) return;
      const wire = renameProperties(schema, names);
      const back = new Map([...names].map(([name, other]) => [other, name]));
      const taken = new Set(names.values());
      fc.pre(!hasKey(args, taken));
      const sent = renameKeys(args, { schema, root: schema, names });
      expect(renameKeys(sent, { schema: wire, root: wire, names: back })).toEqual(args);
    }),
    { numRuns: 1_000 },
  );
});

/** Returns whether a value uses a wire name that no property of its schema has. */
function hasKey(value: unknown, names: ReadonlySet<string>): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, inner]) => names.has(key) || hasKey(inner, names));
}
