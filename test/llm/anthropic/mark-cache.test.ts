import { expect, test } from 'vitest';
import { markCache } from '#core/llm/anthropic/mark-cache.ts';
import type { Body } from '#core/llm/anthropic/render-messages.ts';

const text = (words: string) => ({ type: 'text', text: words });
const user = (...content: object[]) => ({ role: 'user', content });
const model = (...content: object[]) => ({ role: 'assistant', content });
const bodyOf = (fields: object) => ({ model: 'claude', max_tokens: 1, stream: true, ...fields }) as unknown as Body;
const marked = (fields: object, ttl: '5m' | '1h' | null = null) => markCache(bodyOf(fields), ttl);
const MARK = { cache_control: { type: 'ephemeral' } };

function marksOf(body: unknown, path = ''): string[] {
  if (typeof body !== 'object' || body === null) return [];
  return Object.entries(body).flatMap(([name, value]) =>
    name === 'cache_control' ? [path] : marksOf(value, path ? `${path}.${name}` : name),
  );
}

test('the cache marks are at the ends of system prompt, last and this request', () => {
  const calls = { type: 'tool_use', id: 'a', name: 'f', input: {} };
  const result = { type: 'tool_result', tool_use_id: 'a', content: '22' };
  const messages = [user(text('A')), model(text('B'), calls), user(result, text('C')), model(calls), user(result)];

  const body = marked({ system: 'Be brief.', tools: [{ name: 'f' }], messages });

  expect(marksOf(body)).toEqual(['system.0', 'messages.2.content.1', 'messages.4.content.0']);
  expect(body.system).toEqual([{ ...text('Be brief.'), ...MARK }]);
  expect(body.messages[4]).toEqual(user({ ...result, ...MARK }));
});

test('the last tool has a cache mark if there is no system prompt', () => {
  const tools = [{ name: 'f' }, { name: 'g' }, { name: 'h', defer_loading: true }];

  const body = marked({ tools, messages: [user(text('A'))] });

  expect(marksOf(body)).toEqual(['tools.1', 'messages.0.content.0']);
});

test('only prompt_cache "1h" sends a ttl', () => {
  const [five, hour] = (['5m', '1h'] as const).map((ttl) => marked({ system: 'A', messages: [] }, ttl).system);

  expect(five).toEqual([{ ...text('A'), ...MARK }]);
  expect(hour).toEqual([{ ...text('A'), cache_control: { type: 'ephemeral', ttl: '1h' } }]);
});

test('thoughts and blank texts get no cache mark, but the block before them does', () => {
  const thought = { type: 'thinking', thinking: 'Hm.', signature: 's' };
  const hidden = { type: 'redacted_thinking', data: 'd' };
  const messages = [user(text('A'), text(' ')), model(thought, text('B'), hidden), user(text(''))];

  expect(marksOf(marked({ system: ' ', messages }))).toEqual(['messages.0.content.0', 'messages.1.content.1']);
});

test('a first request without a system prompt has one cache mark if it has text', () => {
  expect(marksOf(marked({ messages: [user(text('A'))] }))).toEqual(['messages.0.content.0']);
  expect(marksOf(marked({ messages: [user(text(''))] }))).toEqual([]);
});

test.each([[null], ['text'], [[null, 'text', { role: 'user' }, { role: 'user', content: [null] }]], [{}]])(
  'messages %j of the caller get no cache mark',
  (messages) => {
    expect(marked({ messages })).toEqual(bodyOf({ messages }));
  },
);

test('a text message of the caller is marked as one block', () => {
  const body = marked({ messages: [{ role: 'user', content: 'A' }] });

  expect(body.messages).toEqual([user({ ...text('A'), ...MARK })]);
});

test.each([
  ['at the top', { cache_control: { type: 'ephemeral' }, messages: [user(text('A'))] }],
  ['in the system prompt', { system: [{ ...text('S'), ...MARK }], messages: [user(text('A'))] }],
  ['on a tool', { tools: [{ name: 'f', ...MARK }], messages: [user(text('A'))] }],
  ['in a message', { system: 'S', messages: [user({ ...text('A'), ...MARK }), user(text('B'))] }],
  ['in a document', { messages: [user({ type: 'document', source: { content: [{ ...text('A'), ...MARK }] } })] }],
  ['in a result', { messages: [user({ type: 'tool_result', content: [{ ...text('A'), ...MARK }] }), user(text('B'))] }],
])('cache marks of the caller %s replace the marks of Pawl', (_, fields) => {
  expect(marked(fields)).toEqual(bodyOf(fields));
});
