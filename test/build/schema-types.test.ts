import { expect, test } from 'vitest';
import { printTypes } from '#build/schema-types.ts';

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });

test('a schema and its used schemas become types with descriptions', () => {
  const schemas = {
    Pet: {
      type: 'object',
      description: 'An animal.',
      properties: {
        name: { type: ['string', 'null'], description: 'Read `*/5` as every fifth.' },
        kind: { type: ['string', 'null'], enum: ['cat', null] },
        legs: { type: 'array', items: { anyOf: [{ type: 'integer' }, ref('Leg')] } },
        notes: { type: 'object', additionalProperties: { type: 'boolean' } },
        more: { description: 'Any value.', default: null },
        home: { type: 'object', properties: { city: { type: 'string' } }, additionalProperties: true },
        food: { type: 'object', properties: {}, additionalProperties: { type: 'string' } },
      },
      required: ['name', 'legs'],
      additionalProperties: false,
    },
    Leg: { type: 'object', additionalProperties: {} },
    Unused: { type: 'string' },
  };

  const printed = printTypes(schemas, ['Pet']);

  expect(printed).toBe(`/** An animal. */
export type Pet = {
/** Read \`*\\/5\` as every fifth. */
name: string | null;
kind?: "cat" | null | undefined;
legs: Array<number | Leg>;
notes?: Record<string, boolean> | undefined;
/** Any value. */
more?: unknown | undefined;
home?: {
city?: string | undefined;
[name: string]: unknown;
} | undefined;
food?: {
[name: string]: unknown;
} | undefined;
};

export type Leg = Record<string, unknown>;`);
});

test.each<[string, object]>([
  ['allOf', { description: 'A text.', allOf: [{ type: 'string' }] }],
  ['properties', { properties: { name: { type: 'string' } } }],
  ['patternProperties beside type', { type: 'object', patternProperties: { '^x-': { type: 'string' } } }],
  ['not beside enum', { type: 'string', enum: ['cat'], not: { type: 'null' } }],
  ['properties beside $ref', { ...ref('Odd'), properties: { name: { type: 'string' } } }],
  ['type, required beside anyOf', { anyOf: [{ type: 'string' }], type: 'string', required: ['name'] }],
  ['const beside type', { type: 'array', items: { type: 'string', const: 'cat' } }],
])('the build refuses a schema with %s', (keywords, schema) => {
  const print = () => printTypes({ Odd: schema }, ['Odd']);

  expect(print).toThrow(`The build has no type for a schema with ${keywords}. Add it to typeOf.`);
});

test('the build refuses an unknown schema name', () => {
  const print = () => printTypes({}, ['Turn']);

  expect(print).toThrow('The OpenAPI document has no schema Turn. Correct the list of names.');
});
