import { expect, test } from 'vitest';
import { parseMarkers } from '#core/llm/dialects/inline/hold-back.ts';
import { watchUsedCpu } from '#test/harness/watch-stalls.ts';

const call = (name: string, args = '{}') => ({ name, arguments: args });

test('a text without markers stays unchanged, with its white space', () => {
  for (const text of ['Hello.', '  a\n\n b [link](x) [TOOL] `c` \n', '[', '[TOOL_CALL', '\n', '{"a":[1]}', '[[[[']) {
    expect(parseMarkers(text)).toEqual({ text, calls: [] });
  }
});

test('a marker is a call and is removed from the text', () => {
  expect(parseMarkers('Let me look. [TOOL_CALL: get_weather]')).toEqual({
    text: 'Let me look.',
    calls: [call('get_weather')],
  });
});

test('several markers are several calls, in order', () => {
  const text = 'Both:\n[TOOL_CALL: a]\n[TOOL_CALL: b {"x":1}] and [TOOL_CALL: a]';

  expect(parseMarkers(text)).toEqual({ text: 'Both:\nand', calls: [call('a'), call('b', '{"x":1}'), call('a')] });
});

test('a text of only markers is null', () => {
  expect(parseMarkers('\n[TOOL_CALL: a]\n\n[TOOL_CALL:b]  \n')).toEqual({ text: null, calls: [call('a'), call('b')] });
});

test('the arguments of a marker are its JSON as written, with nested braces', () => {
  const args = '{ "a": {"b": {"c": [1, {"d": 2}]}},\n  "e": 1.0 }';

  expect(parseMarkers(`[TOOL_CALL: deep ${args}]`).calls).toEqual([call('deep', args)]);
  expect(parseMarkers(`[TOOL_CALL: deep\n${args}\n]`).calls).toEqual([call('deep', args)]);
  expect(parseMarkers(`[TOOL_CALL: deep${args}]`).calls).toEqual([call('deep', args)]);
});

test('brackets, braces, quotes and markers in a string do not end the arguments', () => {
  for (const value of [']', '}', '}]', '[TOOL_CALL: other]', 'say "hi"', '5" ]', '"}]', '\\', '```', '\n', '👋🏽']) {
    const args = JSON.stringify({ value });

    expect(parseMarkers(`Now [TOOL_CALL: f ${args}] then`)).toEqual({ text: 'Now then', calls: [call('f', args)] });
  }
});

test('a marker without arguments has an empty object', () => {
  expect(parseMarkers('[TOOL_CALL: f]').calls).toEqual([call('f')]);
  expect(parseMarkers('[TOOL_CALL: f ]').calls).toEqual([call('f')]);
  expect(parseMarkers('[TOOL_CALL: f {}]').calls).toEqual([call('f')]);
});

test('a marker of an unknown tool is a call', () => {
  expect(parseMarkers('[TOOL_CALL: no.such-tool_1]').calls).toEqual([call('no.such-tool_1')]);
});

test.each([
  ['{"a": 1', '[TOOL_CALL: f {"a": 1]'],
  ['{"a": "b', '[TOOL_CALL: f {"a": "b]'],
  ["{'a': 1}", "[TOOL_CALL: f {'a': 1}]"],
  ['{"a": [1, 2}', '[TOOL_CALL: f {"a": [1, 2}]'],
  ['{"a": [1, 2]', '[TOOL_CALL: f {"a": [1, 2]]'],
  ['{"a": 1}}', '[TOOL_CALL: f {"a": 1}}]'],
  ['{"a": "say "hi""}', '[TOOL_CALL: f {"a": "say "hi""}]'],
  ['{"a": 1}}', '[TOOL_CALL: f\n{"a": 1}}]'],
  ['["a"]', '[TOOL_CALL: f ["a"]]'],
  ['city=Tokyo', '[TOOL_CALL: f city=Tokyo]'],
  ['("Tokyo")', '[TOOL_CALL: f("Tokyo")]'],
])('a marker with broken JSON is a call with the text as its arguments: %s', (args, marker) => {
  expect(parseMarkers(`So: ${marker}`)).toEqual({ text: 'So:', calls: [call('f', args)] });
  expect(parseMarkers(`So: ${marker}\nAnd [TOOL_CALL: g].`)).toEqual({
    text: 'So:\nAnd.',
    calls: [call('f', args), call('g')],
  });
});

test.each([
  '[TOOL_CALL: f',
  '[TOOL_CALL: f {"a": 1}',
  '[TOOL_CALL: f {"a": "b',
  '[TOOL_CALL: f {"a": 1}\nand more',
  '[TOOL_CALL: f {"a": 1}\nand more]',
  '[TOOL_CALL: f and so on\nand more]',
  '[TOOL_CALL: ]',
  '[TOOL_CALL:]',
  '[TOOL_CALL: <name>]',
  '[tool_call: f]',
  '[TOOL CALL: f]',
])('a marker that is not closed or has no name stays text: %s', (text) => {
  expect(parseMarkers(text)).toEqual({ text, calls: [] });
});

test('a marker that is not closed does not swallow the next marker', () => {
  expect(parseMarkers('[TOOL_CALL: a and [TOOL_CALL: b]')).toEqual({ text: '[TOOL_CALL: a and', calls: [call('b')] });
  expect(parseMarkers('[TOOL_CALL: a {"x": 1\n[TOOL_CALL: b {"y": 2}]')).toEqual({
    text: '[TOOL_CALL: a {"x": 1',
    calls: [call('b', '{"y": 2}')],
  });
  expect(parseMarkers('[[TOOL_CALL: a]]')).toEqual({ text: '[]', calls: [call('a')] });
});

test.each([
  'Write:\n```\n[TOOL_CALL: f]\n```\nlike so.',
  '```js\nconst a = "`";\n[TOOL_CALL: f {"a":1}]\n``` not the end\n[TOOL_CALL: f]\n```',
  '````\n```\n[TOOL_CALL: f]\n```\n````',
  '- ```\n  [TOOL_CALL: f]\n  ```',
  '```\n[TOOL_CALL: f]',
  'Write `[TOOL_CALL: f]` like so.',
  'Write ``[TOOL_CALL: f {"a": "`"}]`` like so.',
  '`[TOOL_CALL: f]`',
  '``a` [TOOL_CALL: f]``',
  '```[TOOL_CALL: f]``` in one line',
])('a marker in a code fence or in inline code is a quotation: %j', (text) => {
  expect(parseMarkers(text)).toEqual({ text, calls: [] });
});

test('a marker after code is a call', () => {
  for (const code of ['```\nx\n```\n', '`x` ', '``x`y`` ', '```x``` ', '`\n']) {
    expect(parseMarkers(`${code}[TOOL_CALL: f]`)).toEqual({ text: code.trimEnd(), calls: [call('f')] });
  }
});

test('a single backtick does not start a quotation', () => {
  expect(parseMarkers('Don`t wait. [TOOL_CALL: f]')).toEqual({ text: 'Don`t wait.', calls: [call('f')] });
  expect(parseMarkers('Don`t wait. [TOOL_CALL: f]\nIt`s on.')).toEqual({
    text: 'Don`t wait.\nIt`s on.',
    calls: [call('f')],
  });
  expect(parseMarkers('Don`t wait.\n[TOOL_CALL: f]\nIt`s on.').calls).toEqual([call('f')]);
  expect(parseMarkers('Don`t wait.\nGo: [TOOL_CALL: f] It`s on.').calls).toEqual([call('f')]);
});

test.each([
  ['A [TOOL_CALL: f] B', 'A B'],
  ['A\n[TOOL_CALL: f]\nB', 'A\nB'],
  ['A\n\n[TOOL_CALL: f]\n\nB', 'A\n\nB'],
  ['A\n\n[TOOL_CALL: f]\n[TOOL_CALL: g]\n\nB', 'A\n\nB'],
  ['A\n\n[TOOL_CALL: f] [TOOL_CALL: g] B', 'A\n\nB'],
  ['A\n[TOOL_CALL: f]\n    B', 'A\n    B'],
  ['A\n[TOOL_CALL: f] B', 'A\nB'],
  ['A [TOOL_CALL: f], then B', 'A, then B'],
  ['A [TOOL_CALL: f]B', 'A B'],
  ['A[TOOL_CALL: f]B', 'AB'],
  ['[TOOL_CALL: f]\nB  ', 'B  '],
  ['A  [TOOL_CALL: f]  ', 'A'],
])('white space around a removed marker is trimmed: %j', (text, left) => {
  expect(parseMarkers(text).text).toBe(left);
});

test('a text that repeats itself is parsed in time', () => {
  for (const stammer of [
    '[TOOL_CALL: a ',
    '[TOOL_CALL: a {',
    '[TOOL_CALL: a {"',
    '[TOOL_CALL: a {"x": "',
    '[',
    '`',
    '[TOOL_CALL: a]`',
  ]) {
    const usedMs = watchUsedCpu();
    parseMarkers(stammer.repeat(20_000));
    expect(usedMs()).toBeLessThan(2_000);
  }
});
