import { expect, test } from 'vitest';
import { strictSchemaProblem } from '#core/llm/openai/strict-schema.ts';

const closed = (properties: object, required = Object.keys(properties)) => ({
  ...{ type: 'object', properties, required },
  additionalProperties: false,
});
const text = { type: 'string' };
const problemOf = (schema: object) => strictSchemaProblem({ ...schema }, 'schema');

test('a schema may be strict if all objects are closed and require all properties', () => {
  const schema = {
    ...closed({ a: text, b: { type: ['object', 'null'], properties: {}, additionalProperties: false } }),
    $defs: { item: closed({ price: { type: 'number', minimum: 0 } }) },
  };

  expect(problemOf(schema)).toBeNull();
  expect(problemOf(closed({ list: { type: 'array', items: { anyOf: [text, { $ref: '#/$defs/item' }] } } }))).toBeNull();
});

test.each([
  [{ type: 'object', properties: { a: text }, required: ['a'] }, 'schema', 'must close every object'],
  [closed({ a: text, b: text }, ['a']), 'schema', 'Add "b" to required'],
  [closed({ a: { type: 'object' } }), 'schema.properties.a', 'must close every object'],
  [closed({ a: { type: 'array', items: closed({ b: text }, []) } }), 'schema.properties.a.items', 'Add "b"'],
  [closed({ a: { anyOf: [text, { type: 'object' }] } }), 'schema.properties.a.anyOf[1]', 'must close every object'],
  [{ ...closed({}), $defs: { x: { type: 'object' } } }, 'schema.$defs.x', 'must close every object'],
  [closed({ a: { allOf: [text] } }), 'schema.properties.a.allOf', 'must not contain allOf'],
])('the schema %j cannot be strict, and the error names its path', (schema, path, words) => {
  expect(problemOf(schema)).toEqual({ path, message: expect.stringContaining(words) });
});
