import { expect, test } from 'vitest';
import { type CacheServer, startCacheServer } from './cache-server.ts';
import { anthropicCacheWire, geminiCacheWire, openaiCacheWire, responsesCacheWire } from './cache-wires.ts';

const words = 'abc '.repeat(2_000);
const mark = { cache_control: { type: 'ephemeral' } };
const prices = { input: 1, cached_input: 0.1, cache_write: 1.25, cache_write_1h: 2, output: 5 };
const user = { role: 'user', content: words };

const wires = [
  {
    wire: anthropicCacheWire,
    path: '/v1/messages',
    counted: /"cache_read_input_tokens":[1-9]/,
    body: {
      ...{ model: 'claude-sonnet-5', max_tokens: 9, stream: true },
      messages: [{ role: 'user', content: [{ type: 'text', text: words, ...mark }] }],
    },
  },
  {
    wire: openaiCacheWire,
    path: '/v1/chat/completions',
    counted: /"cached_tokens":[1-9]/,
    body: { model: 'gpt-4.1', stream: true, messages: [user] },
  },
  {
    wire: responsesCacheWire,
    path: '/v1/responses',
    counted: /"cached_tokens":[1-9]/,
    body: { model: 'gpt-4.1', stream: true, store: false, input: [{ type: 'message', ...user }] },
  },
  {
    wire: geminiCacheWire,
    path: '/v1beta/models/gemini-2.5-flash:streamGenerateContent',
    counted: /"cachedContentTokenCount":[1-9]/,
    body: { contents: [{ role: 'user', parts: [{ text: words }] }] },
  },
];

async function post({ origin }: CacheServer, path: string, body: object) {
  const response = await fetch(`${origin}${path}`, { method: 'POST', body: JSON.stringify(body) });
  return { status: response.status, text: await response.text() };
}

test.for(wires)('the scripted $wire.name server reports and bills cached tokens', async (on) => {
  await using server = await startCacheServer(on.wire, { prices, reply: () => ({ text: 'Hello.' }) });

  await post(server, on.path, on.body);
  const first = server.bill();
  const { status, text } = await post(server, on.path, on.body);

  expect(status).toBe(200);
  expect(text).toMatch(on.counted);
  expect(server.answered).toHaveLength(2);
  expect(first).toBeGreaterThan(0.002);
  expect(server.bill() - first).toBeLessThan(0.0005);
});

test.for(wires)('the scripted $wire.name server refuses invalid bodies and unknown fields', async (on) => {
  const script = { prices, reply: () => ({ text: 'Hello.' }), unknownFields: ['cache_control', 'prompt_cache_key'] };
  await using server = await startCacheServer(on.wire, script);

  const invalid = await post(server, on.path, { ...on.body, messages: [], contents: [], input: [] });
  const unknown = await post(server, on.path, { ...on.body, prompt_cache_key: 'key', ...mark });

  expect([invalid.status, unknown.status]).toEqual([400, 400]);
  expect(unknown.text).toContain('cache_control');
  expect(server.refusals).toHaveLength(2);
  expect(server.answered).toEqual([]);
  expect(server.bill()).toBe(0);
});
