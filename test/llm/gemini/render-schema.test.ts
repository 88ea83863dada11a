import { expect, test } from 'vitest';
import { renderSchema } from '#core/llm/gemini/render-schema.ts';

test('gemini schema: a schema of documented keywords is unchanged', () => {
  const schema = {
    type: 'object',
    description: 'An order',
    properties: {
      id: { type: 'string', format: 'date-time' },
      kind: { type: ['string', 'null'], enum: ['a', 'b'] },
      amounts: { type: 'array', items: { type: 'number', minimum: 0, maximum: 9 }, minItems: 1, maxItems: 3 },
      pair: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'integer' }] },
      either: { anyOf: [{ type: 'string' }, { $ref: '#/$defs/node' }] },
      map: { type: 'object', additionalProperties: { type: 'string' } },
    },
    required: ['id'],
    additionalProperties: false,
    propertyOrdering: ['id', 'kind'],
    $defs: { node: { type: 'object', properties: { next: { $ref: '#/$defs/node' } } } },
  };

  expect(renderSchema(schema)).toEqual(schema);
});

test('gemini schema: unknown keywords are dropped at every depth', () => {
  const inner = {
    type: 'string',
    title: 'T',
    default: 'x',
    examples: ['x'],
    pattern: '^x',
    minLength: 1,
    format: 'uuid',
    deprecated: true,
  };
  const schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: 'x',
    type: 'object',
    properties: {
      a: inner,
      list: { type: 'array', uniqueItems: true, items: { type: 'integer', exclusiveMinimum: 0 } },
    },
    patternProperties: { '^x': {} },
    not: {},
    if: {},
  };

  expect(renderSchema(schema)).toEqual({
    type: 'object',
    properties: { a: { type: 'string' }, list: { type: 'array', items: { type: 'integer' } } },
  });
});

test('gemini schema: a property may have the name of a JSON Schema keyword', () => {
  const properties = { pattern: { type: 'string' }, default: { type: 'string' }, properties: { type: 'object' } };

  expect(renderSchema({ type: 'object', properties })).toEqual({ type: 'object', properties });
});

test.each([
  [{ const: 'a' }, { type: 'string', enum: ['a'] }],
  [
    { const: 3, type: 'integer' },
    { type: 'integer', enum: [3] },
  ],
  [{ const: true }, { type: 'boolean' }],
  [{ const: null }, { type: 'null' }],
  [{ enum: ['a', null, true, 2] }, { enum: ['a', 2] }],
  [{ enum: [null] }, {}],
  [
    { type: 'string', enum: ['', 'a'] },
    { type: 'string', enum: ['a'] },
  ],
  [{ oneOf: [{ type: 'string' }, { const: 1 }] }, { anyOf: [{ type: 'string' }, { type: 'number', enum: [1] }] }],
  [{ type: 'string', nullable: true }, { type: ['string', 'null'] }],
  [{ type: ['string', 'null'], nullable: true }, { type: ['string', 'null'] }],
  [{ $ref: '#/definitions/a', description: 'x' }, { $ref: '#/$defs/a' }],
  [{ definitions: { a: { type: 'string', title: 'A' } } }, { $defs: { a: { type: 'string' } } }],
  [
    { type: 'array', items: [{ type: 'string' }, true] },
    { type: 'array', prefixItems: [{ type: 'string' }, {}] },
  ],
  [
    { type: 'object', required: ['a', 'b'], properties: { a: true } },
    { type: 'object', properties: { a: {} }, required: ['a'] },
  ],
  [true, {}],
])('gemini schema: the schema %j becomes %j', (schema, expected) => {
  expect(renderSchema(schema)).toEqual(expected);
});

test('gemini schema: allOf of objects is one object, of one reference a reference', () => {
  const allOf = [
    { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
    { properties: { b: { const: 1 } }, required: ['b'] },
  ];

  expect(renderSchema({ allOf, properties: { c: {} } })).toEqual({
    type: 'object',
    properties: { a: { type: 'string' }, b: { type: 'number', enum: [1] }, c: {} },
    required: ['a', 'b'],
  });
  expect(renderSchema({ allOf: [{ $ref: '#/$defs/a' }], description: 'x' })).toEqual({ $ref: '#/$defs/a' });
});

test('gemini schema: the given schema is not modified', () => {
  const schema = { type: 'object', properties: { a: { const: 'x' } }, definitions: { b: { oneOf: [{}] } } };
  const before = structuredClone(schema);

  renderSchema(schema);

  expect(schema).toEqual(before);
});
