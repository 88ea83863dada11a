import { expect, test } from 'vitest';
import type { AnthropicBody } from './anthropic-blocks.ts';
import { makeAnthropicCache } from './anthropic-cache.ts';

const mark = { type: 'ephemeral' };
const hourMark = { type: 'ephemeral', ttl: '1h' };
const text = (tokens: number, more: object = {}) => ({ type: 'text', text: 'abc '.repeat(tokens), ...more });
const tool = { name: 'get_weather', description: 'abc '.repeat(500), input_schema: { type: 'object' } };
const user = (...content: object[]) => ({ role: 'user', content: content as Record<string, unknown>[] });
const ask = (more: object = {}): AnthropicBody => ({
  model: 'claude-sonnet-5',
  tools: [tool],
  system: [text(1_000, { cache_control: mark })],
  messages: [user(text(2_000, { cache_control: mark }))],
  ...more,
});

function usesOf(...bodies: AnthropicBody[]) {
  const cache = makeAnthropicCache();
  return bodies.map((body) => {
    const taken = cache.take(body);
    if ('refusal' in taken) throw new Error(taken.refusal);
    const { fresh, read, written, writtenForHour } = taken.usage;
    return { fresh, read, written: written + writtenForHour, writtenForHour };
  });
}

function refusalOf(body: AnthropicBody): string | null {
  const taken = makeAnthropicCache().take(body);
  return 'refusal' in taken ? taken.refusal : null;
}

test('the Anthropic cache writes at marks and reads the longest entry', () => {
  const longer = ask({ messages: [user(text(2_000, { cache_control: mark }), text(300))] });

  const [first, same, last] = usesOf(ask(), ask(), longer);

  expect(first).toMatchObject({ fresh: 0, read: 0 });
  expect(first?.written).toBeGreaterThan(3_500);
  expect(same).toMatchObject({ fresh: 0, read: first?.written, written: 0 });
  expect(last).toMatchObject({ read: first?.written, written: 0 });
  expect(last?.fresh).toBeGreaterThan(299);
});

test('the Anthropic cache stores no unmarked prefix and none below 1,024 tokens', () => {
  const unmarked = ask({ system: [text(1_000)], messages: [user(text(2_000))] });
  const short = ask({ tools: [], system: [text(900, { cache_control: mark })], messages: [user(text(3_000))] });

  const uses = usesOf(unmarked, unmarked, short, short);

  expect(uses.map(({ read, written }) => read + written)).toEqual([0, 0, 0, 0]);
});

test('changed tools discard the Anthropic cache, but a changed system keeps tools', () => {
  const marked = ask({ tools: [{ ...tool, description: 'abc '.repeat(1_100), cache_control: mark }] });
  const system = { ...marked, system: [text(1_001, { cache_control: mark })] };
  const tools = { ...marked, tools: [{ ...marked.tools![0]!, name: 'other' }] };

  const [, afterSystem, afterTools] = usesOf(marked, system, tools);

  expect(afterSystem?.read).toBeGreaterThan(1_100);
  expect(afterSystem?.read).toBeLessThan(1_300);
  expect(afterTools?.read).toBe(0);
});

test.for([
  ['tool choice', { tool_choice: { type: 'none' } }],
  ['thinking', { thinking: { type: 'adaptive' } }],
  ['first image', { messages: [user(text(2_000, { cache_control: mark }), { type: 'image', source: {} })] }],
] as const)('a changed %s keeps tools and system in the Anthropic cache', ([, change]) => {
  const [, changed] = usesOf(ask(), ask(change));

  expect(changed?.read).toBeGreaterThan(1_400);
  expect(changed?.read).toBeLessThan(1_600);
});

test('the Anthropic cache ignores marks and the default tool choice in a prefix', () => {
  const [first, auto] = usesOf(ask(), ask({ tool_choice: { type: 'auto' }, system: [text(1_000)] }));

  expect(auto?.read).toBe(first?.written);
});

test('a mark of Anthropic looks back over 20 blocks, its own included', () => {
  const blocks = (count: number) => Array.from({ length: count }, () => text(1));
  const after = (count: number) => {
    const more = [...blocks(count - 1), text(1, { cache_control: mark })];
    return ask({ messages: [user(text(2_000), ...more)] });
  };

  expect(usesOf(ask(), after(19))[1]?.read).toBeGreaterThan(3_500);
  expect(usesOf(ask(), after(20))[1]?.read).toBeLessThan(1_600);
});

test('the Anthropic cache counts writes for an hour separately', () => {
  const mixed = ask({ system: [text(1_000, { cache_control: hourMark })] });

  const [use] = usesOf(mixed);

  expect(use?.writtenForHour).toBeGreaterThan(1_400);
  expect(use?.writtenForHour).toBeLessThan(1_600);
  expect(use?.written).toBeGreaterThan(3_500);
});

test('a mark at the top level of an Anthropic request marks its last block', () => {
  const body = ask({ system: [text(1_000)], messages: [user(text(2_000))], cache_control: mark });

  const [first, second] = usesOf(body, body);

  expect(first?.written).toBeGreaterThan(3_500);
  expect(second?.read).toBe(first?.written);
});

test('Anthropic refuses misplaced or misordered cache marks, and more than four', () => {
  const five = user(...Array.from({ length: 4 }, () => text(1, { cache_control: mark })));
  const thought = { type: 'thinking', thinking: 'Hm.', signature: 'c2ln', cache_control: mark };
  const assistant = { role: 'assistant', content: [thought, text(1)] };

  const maximum = 'A maximum of 4 blocks with cache_control may be provided. Found 5.';
  expect(refusalOf(ask({ messages: [five] }))).toBe(maximum);
  expect(refusalOf(ask({ messages: [user(text(1)), assistant] }))).toBe(
    'messages.1.content.0.thinking.cache_control: Extra inputs are not permitted',
  );
  expect(refusalOf(ask({ messages: [user({ type: 'text', text: ' ', cache_control: mark })] }))).toBe(
    'messages.0.content.0.text: cache_control cannot be set for empty text blocks',
  );
  expect(refusalOf(ask({ messages: [user(text(1, { cache_control: hourMark }))] }))).toMatch(
    /^messages\.0\.content\.0\.cache_control\.ttl: a ttl='1h' cache_control block must not come after a ttl='5m'/,
  );
  expect(refusalOf(ask({ system: [text(1, { cache_control: { type: 'ephemeral', ttl: '2h' } })] }))).toMatch(/ttl/);
  expect(refusalOf(ask())).toBeNull();
});
