import fc from 'fast-check';
import { expect, test } from 'vitest';
import { renderToolSchema } from '#core/llm/gemini/render-schema.ts';
import { findWireNames, type NameRules, renameProperties } from '#core/llm/wire-tools/property-names.ts';
import { anthropicToolSchema, openaiToolSchema } from '#core/llm/wire-tools/tool-schemas.ts';
import { checkAnthropicSchema, checkGeminiSchema, checkOpenaiSchema } from '#test/llm/check-wire/tool-schema.ts';
import { someSchema } from './arbitrary-schema.ts';

type Schema = Record<string, unknown>;
const strict = { allowed: /^[a-zA-Z0-9_.-]{1,64}$/, others: /[^a-zA-Z0-9_.-]/g };
const google = { allowed: /^[a-zA-Z_][a-zA-Z0-9_]{0,63}$/, others: /[^a-zA-Z0-9_]/g };

function named(schema: Schema, rules: NameRules): Schema {
  const names = findWireNames(schema, rules);
  return names ? renameProperties(schema, names) : schema;
}

test.each([
  ['Chat Completions', (schema: Schema) => checkOpenaiSchema(openaiToolSchema(schema))],
  ['the Messages API', (schema: Schema) => checkAnthropicSchema(anthropicToolSchema(named(schema, strict)))],
  ['Gemini', (schema: Schema) => checkGeminiSchema(renderToolSchema(named(schema, google)))],
])('any JSON object becomes a tool schema that %s accepts', (_, problems) => {
  fc.assert(
    fc.property(someSchema, (schema) => {
      const before = JSON.stringify(schema);
      expect(problems(schema)).toEqual([]);
      expect(JSON.stringify(schema)).toBe(before);
    }),
    { numRuns: 1_500 },
  );
});

const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more });

test('a valid tool schema is sent unchanged', () => {
  const schema = object(
    {
      city: { type: 'string', description: 'The city', pattern: '^[A-Z]', minLength: 1, maxLength: 9 },
      days: { type: ['integer', 'null'], minimum: 1, exclusiveMaximum: 9, enum: [1, 2, null], default: 1 },
      tags: { type: 'array', items: { anyOf: [{ type: 'string' }, { $ref: '#/$defs/tag' }] }, uniqueItems: true },
      more: { type: 'object', properties: {}, additionalProperties: { type: 'number' }, 'x-note': [1] },
    },
    { required: ['city'], additionalProperties: false, $defs: { tag: { const: 'a' } } },
  );

  expect(JSON.stringify(openaiToolSchema(schema))).toBe(JSON.stringify(schema));
  expect(JSON.stringify(anthropicToolSchema(schema))).toBe(JSON.stringify(schema));
});

test.each([
  ['no properties', { type: 'object' }, object({})],
  ['properties that are null', { type: 'object', properties: null, required: null }, object({})],
  [
    'no properties further in',
    object({ a: { type: ['object', 'null'] } }),
    object({ a: { type: ['object', 'null'], properties: {} } }),
  ],
  ['a list without items', object({ a: { type: 'array' } }), object({ a: { type: 'array', items: {} } })],
  [
    'a list of items of any kind',
    object({ a: { type: 'array', items: true } }),
    object({ a: { type: 'array', items: {} } }),
  ],
  [
    'a tuple',
    object({ a: { type: 'array', items: [{ type: 'string' }, { type: 'number' }] } }),
    object({ a: { type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'number' }] } } }),
  ],
  ['a type that is any', object({ a: { type: 'any' } }), object({ a: {} })],
  ['a type in capitals', object({ a: { type: 'STRING' } }), object({ a: { type: 'string' } })],
  ['a property that is the name of its type', object({ a: 'bool' }), object({ a: { type: 'boolean' } })],
  ['a property that says it is required', object({ a: { required: true } }), object({ a: {} }, { required: ['a'] })],
  [
    'a required name without a property',
    object({ a: {} }, { required: ['a', 'b'] }),
    object({ a: {} }, { required: ['a'] }),
  ],
  ['a bound of draft 4', object({ a: { minimum: 0, exclusiveMinimum: true } }), object({ a: { exclusiveMinimum: 0 } })],
  ['nullable', object({ a: { type: 'string', nullable: true } }), object({ a: { type: ['string', 'null'] } })],
  [
    'a reference that may be null',
    object({ a: { $ref: '#/$defs/b', nullable: true } }, { $defs: { b: {} } }),
    object({ a: { anyOf: [{ $ref: '#/$defs/b' }, { type: 'null' }] } }, { $defs: { b: {} } }),
  ],
  [
    'values of another type',
    object({ a: { type: 'string', enum: ['b', 1, null] } }),
    object({ a: { type: 'string', enum: ['b'] } }),
  ],
  ['a pattern with needless escapes', object({ a: { pattern: '^a\\:' } }), object({ a: { pattern: '^a:' } })],
  ['a pattern of JavaScript', object({ a: { type: 'string', pattern: '\\p{L}' } }), object({ a: { type: 'string' } })],
  ['a reference to elsewhere', object({ a: { $ref: 'https://example.com/s.json' } }), object({ a: {} })],
  [
    'a reference to its own address',
    object({ a: { $ref: 'https://example.com/x#/$defs/b' } }, { $id: 'https://example.com/x', $defs: { b: {} } }),
    object({ a: { $ref: '#/$defs/b' } }, { $defs: { b: {} } }),
  ],
])('a tool schema with %s is corrected for Chat Completions', (_, schema, expected) => {
  expect(openaiToolSchema(schema)).toEqual(expected);
});

test.each([
  [
    'that only require',
    object({ a: {}, b: {} }, { anyOf: [{ required: ['a'] }, { required: ['b'] }] }),
    object({ a: {}, b: {} }),
  ],
  [
    'with their own properties',
    { oneOf: [object({ kind: { const: 'a' }, a: {} }), object({ kind: { const: 'b' } }, { required: ['kind'] })] },
    object({ kind: { anyOf: [{ const: 'a' }, { const: 'b' }] }, a: {} }),
  ],
  [
    'that all apply',
    object(
      { b: {} },
      {
        allOf: [{ $ref: '#/$defs/base' }],
        not: { required: ['c'] },
        $defs: { base: object({ a: {} }, { required: ['a'] }) },
      },
    ),
    object({ a: {}, b: {} }, { required: ['a'], $defs: { base: object({ a: {} }, { required: ['a'] }) } }),
  ],
  [
    'inside a reference',
    { $ref: '#/$defs/base', $defs: { base: object({ a: {} }) } },
    object({ a: {} }, { $defs: { base: object({ a: {} }) } }),
  ],
])('alternatives at the top %s are removed, and their properties stay', (_, schema, expected) => {
  expect(openaiToolSchema(schema)).toEqual(expected);
  expect(anthropicToolSchema(schema)).toEqual(expected);
});
