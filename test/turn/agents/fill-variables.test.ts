import { expect, test } from 'vitest';
import { filledLength, fillVariables, variablesIn } from '#core/turn/agents/fill-variables.ts';

test('the length of a text with variables is known before they are replaced', () => {
  const values = { a: 'one', b: '{{a}}', c: '' };
  const text = '{{a}}, {{b}}{{c}} and {{a}} for {{d}}';

  expect(filledLength(text, values)).toBe(fillVariables(text, values).length);
});

test('each variable is replaced at each of its places', () => {
  expect(fillVariables('{{a}}, {{b}} and {{a}}', { a: 'one', b: 'two' })).toBe('one, two and one');
  expect(fillVariables('{{a}}{{a}}', { a: '' })).toBe('');
});

test.each(['{{b}}', '{{a}}', '$&', '$1', '$$', '$`', '\\0', '{{{{a}}}}'])(
  'the value %s of a variable is not expanded',
  (value) => {
    expect(fillVariables('<{{a}}> <{{b}}>', { a: value, b: 'two' })).toBe(`<${value}> <two>`);
  },
);

test('values that together form a variable are not expanded', () => {
  expect(fillVariables('{{a}}{{b}}', { a: '{{', b: 'c}}', c: 'never' })).toBe('{{c}}');
});

test('a place without a value stays, also for names of object properties', () => {
  expect(fillVariables('{{a}} {{constructor}} {{__proto__}}', { b: 'two' })).toBe(
    '{{a}} {{constructor}} {{__proto__}}',
  );
});

test('text with other braces is not a variable', () => {
  const text = '{a} {{ a }} {{1a}} {{a b}} {{}} {{ä}}';

  expect(variablesIn(text)).toEqual([]);
  expect(fillVariables(text, { a: 'one' })).toBe(text);
});

test('the variables of a text are listed once each, in the order of the text', () => {
  expect(variablesIn('{{b}} {{a}} {{b}} {{c-d}} {{_e}}')).toEqual(['b', 'a', 'c-d', '_e']);
});
