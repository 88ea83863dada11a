import { expect, test } from 'vitest';
import { parseArguments } from '#core/tools/arguments/prepare-call.ts';
import { checkDefinitions } from '#core/tools/define/check.ts';
import { Tool } from '#core/turn/request/tool.ts';

const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more });
const draft = (name: string) => ({ $schema: `http://json-schema.org/${name}/schema#` });

async function answers(schema: Record<string, unknown>, ...given: unknown[]) {
  const definition = Tool.parse({ name: 'look_up', description: 'Looks something up.', parameters: schema });
  expect(await checkDefinitions([definition], 'strict')).toEqual([]);
  const parsed = await Promise.all(given.map((args) => parseArguments(JSON.stringify(args), schema, 'default')));
  return parsed.map(({ ok }) => ok);
}

const pair = { type: 'array', items: [{ type: 'string' }, { type: 'number' }] };
const above = { type: 'number', minimum: 0, exclusiveMinimum: true };
const city = { type: 'string' };

test.each([
  ['a tuple without a draft', object({ pair }), { pair: ['a', 1] }, { pair: [1, 'a'] }],
  [
    'a closed tuple of draft 7',
    object({ pair: { ...pair, additionalItems: false } }, draft('draft-07')),
    { pair: ['a', 1] },
    { pair: ['a', 1, 2] },
  ],
  ['bounds of draft 4', object({ n: above }, draft('draft-04')), { n: 1 }, { n: 0 }],
  ['bounds of draft 4 without a draft', object({ n: above }), { n: 1 }, { n: 0 }],
  [
    'an inclusive bound of draft 4',
    object({ n: { maximum: 3, exclusiveMaximum: false } }, draft('draft-04')),
    { n: 3 },
    { n: 4 },
  ],
  ['draft 6', object({ a: { const: 1 } }, draft('draft-06')), { a: 1 }, { a: 2 }],
  [
    'a reference of 2019-09',
    object({ kid: { $recursiveRef: '#' }, a: city }, { $schema: 'https://json-schema.org/draft/2019-09/schema' }),
    { kid: { a: 'b' } },
    { kid: { a: 1 } },
  ],
  ['a reference into a tuple', object({ pair, one: { $ref: '#/properties/pair/items/1' } }), { one: 1 }, { one: 'a' }],
  [
    'a reference to its own address',
    object(
      { a: { $ref: 'https://example.com/x.json#/$defs/A' } },
      { $id: 'https://example.com/x.json', $defs: { A: city } },
    ),
    { a: 'b' },
    { a: 1 },
  ],
  [
    'a relative reference to its own address',
    object({ a: { $ref: 'x.json#/definitions/A' } }, { id: 'https://example.com/x.json', definitions: { A: city } }),
    { a: 'b' },
    { a: 1 },
  ],
  [
    'a reference to the address of a part',
    object({ a: { $ref: 'urn:city' } }, { $defs: { A: { $id: 'urn:city', ...city } } }),
    { a: 'b' },
    { a: 1 },
  ],
  [
    'a reference to a name',
    object({ a: { $ref: '#city' } }, { $id: 'https://example.com/x', $defs: { A: { $anchor: 'city', ...city } } }),
    { a: 'b' },
    { a: 1 },
  ],
  ['properties with the names of keywords', object({ $id: city, id: city, items: city }), { $id: 'b' }, { id: 1 }],
  ['a pattern of Python', object({ v: { pattern: '^(?P<y>\\d{4})\\Z' } }), { v: '2025' }, { v: '2025a' }],
])('a schema with %s is checked', async (_, schema, right, wrong) => {
  expect(await answers(schema, right, wrong)).toEqual([true, false]);
});

test('an unreadable pattern is skipped, and other keywords are checked', async () => {
  const schema = object({ v: { type: 'string', pattern: '^[[:alpha:]]+$' } });

  expect(await answers(schema, { v: '1' }, { v: 1 })).toEqual([true, false]);
});

test('names under an unreadable pattern are neither checked nor refused', async () => {
  const patternProperties = { '^[[:alpha:]]+$': { type: 'number' }, '^x\\-': { type: 'string' } };
  const schema = object({}, { patternProperties, additionalProperties: false });

  expect(await answers(schema, { abc: 'a' }, { 'x-a': 'b' }, { 'x-a': 1 })).toEqual([true, true, false]);
});
