import { expect, test } from 'vitest';
import { printTypes } from '#build/schema-types.ts';

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });

test('a schema becomes a type with its description, and each schema that it uses a type of its own', () => {
  const schemas = {
    Pet: {
      type: 'object',
      description: 'An animal.',
      properties: {
        name: { type: ['string', 'null'], description: 'Read `*/5` as every fifth.' },
        kind: { type: ['string', 'null'], enum: ['cat', null] },
        legs: { type: 'array', items: { anyOf: [{ type: 'integer' }, ref('Leg')] } },
        notes: { type: 'object', additionalProperties: { type: 'boolean' } },
        more: { description: 'Any value.' },
      },
      required: ['name', 'legs'],
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
};

export type Leg = Record<string, unknown>;`);
});

test('the build refuses a schema with a keyword that it has no type for', () => {
  const schemas = { Odd: { description: 'A text.', allOf: [{ type: 'string' }] } };

  const print = () => printTypes(schemas, ['Odd']);

  expect(print).toThrow('The build has no type for a schema with allOf. Add it to typeOf.');
});

test('the build refuses the name of a schema that the document does not have', () => {
  const print = () => printTypes({}, ['Turn']);

  expect(print).toThrow('The OpenAPI document has no schema Turn. Correct the list of names.');
});
