import { expect, test } from 'vitest';
import { exceedsJson, JSON_LIMITS } from '#core/json.ts';

const { depth, values } = JSON_LIMITS;
const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;

test.each([
  ['as many levels as may be', nested(depth), null],
  ['one level more', nested(depth + 1), 'more than 100 levels of JSON'],
  [
    'one level more, of objects within lists',
    `${'[{"a":'.repeat(51)}0${'}]'.repeat(51)}`,
    'more than 100 levels of JSON',
  ],
  ['many lists beside each other', `[${Array.from({ length: 300 }, () => '[{}]').join()}]`, null],
  ['many brackets within a text', JSON.stringify({ text: '[{'.repeat(300) }), null],
  ['as many values as may be', `[${Array.from({ length: values }, () => '1').join()}]`, null],
  ['one value more', `[${Array.from({ length: values + 1 }, () => '1').join()}]`, 'more than 250,000 JSON values'],
  ['a long text with few values', JSON.stringify({ text: 'a, '.repeat(values) }), null],
])('JSON with %s is measured without parsing it', (_, text, excess) => {
  expect(exceedsJson(text)).toBe(excess);
});
