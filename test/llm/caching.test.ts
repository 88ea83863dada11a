import { expect, test } from 'vitest';
import { cachingOf, withKnownTtl } from '#core/llm/caching.ts';
import { weather } from '#test/llm/dialects/scripted-provider.ts';
import { someRequest } from '#test/llm/provider-exam.ts';

type Cached = Parameters<typeof cachingOf>[0];
type Config = Partial<Cached['config']>;

function caching(config: Config, turn: Partial<Omit<Cached, 'config'>> = {}) {
  const about = { project: 'acme', conversationId: 'conv_1', position: 1, ...turn };
  return cachingOf({ ...about, config: { tools: [], ...config } as unknown as Cached['config'] });
}

test('a turn is cached by default if it has tools or a predecessor', () => {
  const key = expect.stringMatching(/^[0-9a-f]{32}$/);

  expect(caching({})).toBeNull();
  expect(caching({ tools: [weather] })).toEqual({ ttl: null, key });
  expect(caching({}, { position: 2 })).toEqual({ ttl: null, key });
});

test('prompt_cache "5m", "1h" and "off" apply to every turn', () => {
  expect(caching({ prompt_cache: '5m' })?.ttl).toBe('5m');
  expect(caching({ prompt_cache: '1h' })?.ttl).toBe('1h');
  expect(caching({ prompt_cache: 'off', tools: [weather] }, { position: 2 })).toBeNull();
});

test('the cache key depends on the conversation and its project', () => {
  const keyOf = (turn: Partial<Omit<Cached, 'config'>>) => caching({ tools: [weather] }, turn)?.key;

  expect(keyOf({ position: 7 })).toBe(keyOf({}));
  expect(new Set([keyOf({}), keyOf({ project: 'other' }), keyOf({ conversationId: 'conv_2' })]).size).toBe(3);
});

test('an unsupported cache ttl is omitted, with a warning', () => {
  const request = { ...someRequest, promptCache: { ttl: '1h' as const, key: 'k' } };

  expect(withKnownTtl(request, { name: 'claude', cacheTtls: ['5m', '1h'] })).toEqual({ request, warnings: [] });
  expect(withKnownTtl(request, { name: 'gem' })).toEqual({
    request: { ...request, promptCache: { ttl: null, key: 'k' } },
    warnings: ['prompt_cache "1h" is not supported by gem and was left out'],
  });
  expect(withKnownTtl({ ...request, promptCache: null }, { name: 'gem' }).warnings).toEqual([]);
});
