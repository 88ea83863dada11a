import { expect, test } from 'vitest';
import { checkOutput } from '#core/tools/arguments/check-output.ts';
import { parsedOutput } from '#core/turn/output/output-schema.ts';

const order = {
  type: 'object',
  properties: {
    items: { type: 'array', items: { type: 'object', properties: { price: { type: 'number' } }, required: ['price'] } },
    'a/b~c': { type: 'string' },
  },
  required: ['items'],
  additionalProperties: false,
};
const check = (answer: string, schema: Record<string, unknown> = order) =>
  checkOutput({ answer, schema, project: 'default' });

test.each(['{"items":[{"price":1}]}', ' \n{"items":[]}\n', '```json\n{"items":[]}\n```', '```\n{"items":[]}```  '])(
  'the answer %j fits, with or without a code fence',
  async (text) => {
    expect(await check(text)).toEqual([]);
  },
);

test('an answer after thoughts is checked and parsed without the thoughts', async () => {
  const text = '<think>Maybe {"items":1}?</think>\n```json\n{"items":[]}\n```';
  const turn = { status: 'completed', output: text, config: { output_schema: { schema: order } } } as const;

  expect(await check(text)).toEqual([]);
  expect(parsedOutput(turn)).toEqual({ items: [] });
  expect(await check('<think>Hm.</think>{"items":1}')).toEqual([{ path: '/items', message: expect.any(String) }]);
});

test('a fence inside a JSON string does not end the JSON', async () => {
  const schema = { type: 'object', properties: { code: { type: 'string' } }, required: ['code'] };

  expect(await check(`\`\`\`json\n${JSON.stringify({ code: '```js\n1\n```' })}\n\`\`\``, schema)).toEqual([]);
});

test('each violation has its path as a JSON pointer', async () => {
  const text = '{"items":[{"price":1},{"price":"2"},{}],"a/b~c":5,"more":true}';

  expect(await check(text)).toEqual([
    { path: '/more', message: 'is not a known property' },
    { path: '/items/1/price', message: 'must be number' },
    { path: '/items/2/price', message: 'is required' },
    { path: '/a~1b~0c', message: 'must be string' },
  ]);
});

test.each([
  ['', 'is no JSON'],
  ['Here it is: {"items":[]}', 'is no JSON'],
  ['{"items":[]', 'is no JSON'],
  ['```json\n{"items":[]}\n```\nThat is it.', 'is no JSON'],
  ['[]', 'must be object'],
  [`${'['.repeat(200)}${']'.repeat(200)}`, 'has more than 100 levels of JSON'],
  [`{"items":[${'1,'.repeat(300_000)}1]}`, 'has more than 250,000 JSON values'],
])('the answer %j breaks any object schema', async (text, message) => {
  expect(await check(text)).toEqual([{ path: '', message }]);
});

test('at most 20 short violations are returned for any text of the model', async () => {
  const strange = `{${Array.from({ length: 500 }, (_, index) => `"\\u0000${'x'.repeat(5_000)}${index}":1`)}}`;

  const violations = await check(strange);

  expect(violations).toHaveLength(20);
  expect(JSON.stringify(violations)).not.toContain('\\u0000');
  expect(Math.max(...violations.map(({ path, message }) => path.length + message.length))).toBeLessThan(600);
});

test('a pattern that would run without end is stopped', async () => {
  const schema = { type: 'object', properties: { name: { type: 'string', pattern: '^(a+)+$' } } };

  expect(await check(JSON.stringify({ name: `${'a'.repeat(60)}!` }), schema)).toEqual([
    { path: '', message: 'took too long to check; send shorter values' },
  ]);
});
