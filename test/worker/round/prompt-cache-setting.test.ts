import { expect, test } from 'vitest';
import { type AnthropicBody, anthropicBlocks, markOf } from '#test/llm/prompt-cache/anthropic-blocks.ts';
import {
  anthropic,
  type Cached,
  type CachedModel,
  callUntil,
  gemini,
  longPrefix,
  olderOpenai,
  openai,
  openCached,
} from './open-cached.ts';

const addedField = /"(cache_control|prompt_cache_key|prompt_cache_options)":/;
/** Returns for each answered request whether it has a field that requests caching. */
const asksForCache = ({ server }: Cached) => server.answered.map((body) => addedField.test(JSON.stringify(body)));
const marksIn = (body: unknown) => anthropicBlocks(body as AnthropicBody).flatMap((block) => markOf(block) ?? []);
const keysOf = ({ server }: Cached) => server.answered.map((body) => body.prompt_cache_key);

test.for([anthropic, openai])('prompt_cache "off" sends no mark and no key to $model', async (on) => {
  await using cached = await openCached(on, { reply: callUntil(3) });

  const turn = await cached.run({ ...longPrefix, prompt_cache: 'off' });

  expect(turn.status).toBe('completed');
  expect(asksForCache(cached)).toEqual([false, false, false]);
});

test.for([anthropic, openai])('prompt_cache "auto" asks $model for caching from the second turn on', async (on) => {
  await using cached = await openCached(on);

  const first = await cached.run();
  await cached.run({}, first.conversation_id);
  await cached.run({ prompt_cache: 'auto' });

  expect(asksForCache(cached)).toEqual([false, true, false]);
});

test('prompt_cache "5m" asks for caching in a first turn without tools', async () => {
  await using cached = await openCached(anthropic);

  await cached.run({ prompt_cache: '5m' });

  expect(marksIn(cached.server.answered[0]).length).toBeGreaterThan(0);
});

test('prompt_cache "1h" writes entries for an hour at Anthropic and costs their price', async () => {
  await using cached = await openCached(anthropic, { reply: callUntil(4) });

  const turn = await cached.run({ ...longPrefix, prompt_cache: '1h' });

  const { answered, bill, counts, refusals } = cached.server;
  expect(refusals).toEqual([]);
  for (const mark of answered.flatMap(marksIn)) expect(mark).toEqual({ type: 'ephemeral', ttl: '1h' });
  expect(counts.map(({ written }) => written)).toEqual([0, 0, 0, 0]);
  expect(counts[0]?.writtenForHour).toBeGreaterThan(7_500);
  expect(turn.usage.cache_write_tokens).toBe(counts.reduce((sum, count) => sum + count.writtenForHour, 0));
  expect(turn.usage.cost_usd).toBeCloseTo(bill(), 8);
});

test.for([openai, gemini])('$model refuses a time for prompt_cache at submission', async ({ wire, model }) => {
  await using cached = await openCached({ wire, model });

  const { status, body } = await cached.harness.call('POST', '/v1/turns', {
    body: { model, input: 'Hello?', prompt_cache: '1h' },
  });

  expect(status).toBe(400);
  expect(body).toMatchObject({ error: { code: 'unsupported_parameter', param: 'prompt_cache' } });
});

test('each conversation has its own prompt_cache_key in all its requests', async () => {
  await using cached = await openCached(openai, { reply: (request) => callUntil(2)(request) });

  const first = await cached.run(longPrefix);
  await cached.run(longPrefix, first.conversation_id);
  await cached.run(longPrefix);

  const [key, second, later, other] = keysOf(cached);
  expect(key).toMatch(/^.{1,64}$/);
  expect([second, later]).toEqual([key, key]);
  expect(other).not.toBe(key);
});

test('cache marks and keys of the caller replace the marks and keys of Pawl', async () => {
  await using marked = await openCached(anthropic);
  await using keyed = await openCached(openai);

  await marked.run({ ...longPrefix, provider_options: { cache_control: { type: 'ephemeral' } } });
  await keyed.run({ ...longPrefix, provider_options: { prompt_cache_key: 'mine' } });

  expect(marked.server.answered[0]).toMatchObject({ cache_control: { type: 'ephemeral' } });
  expect(marked.server.answered.flatMap(marksIn)).toEqual([]);
  expect(keysOf(keyed)).toEqual(['mine']);
});

/** Returns a model of an operator's provider with this wire, and the setting of that provider. */
function gatewayOf({ wire, model }: CachedModel, own: object = {}) {
  const name = model.split('/')[1];
  const providers = (origin: string) => ({ gateway: { kind: wire.name, base_url: origin, ...own } });
  return {
    model: { wire, model: `gateway/${name}` },
    env: (origin: string) => ({ PAWL_PROVIDERS: JSON.stringify(providers(origin)) }),
  };
}

test.for([anthropic, olderOpenai])(
  'a provider with the wire of $model and prompt_cache is asked for caching',
  async (on) => {
    const [undeclared, declared] = [gatewayOf(on), gatewayOf(on, { prompt_cache: true })];
    await using plain = await openCached(undeclared.model, { env: undeclared.env });
    await using caching = await openCached(declared.model, { env: declared.env });

    await plain.run(longPrefix);
    await caching.run(longPrefix);

    expect(asksForCache(plain)).toEqual([false]);
    expect(asksForCache(caching)).toEqual([true]);
  },
);

test.for([
  [anthropic, 'cache_control'],
  [openai, 'prompt_cache_key'],
] as const)('a server that refuses a cache field is asked again without the field', async ([on, field]) => {
  await using cached = await openCached(on, { reply: callUntil(3), unknownFields: [field] });

  const first = await cached.run(longPrefix);
  const refusals = cached.server.refusals.length;
  const second = await cached.run(longPrefix);

  expect([first.status, second.status]).toEqual(['completed', 'completed']);
  expect(refusals).toBe(1);
  expect(cached.server.refusals).toHaveLength(1);
  expect(asksForCache(cached)).toEqual(cached.server.answered.map(() => false));
});
