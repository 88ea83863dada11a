import { isObject, unless } from './problems.ts';

const BANNED = new Set([
  ...['allOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentRequired', 'dependentSchemas', 'patternProperties'],
  ...['propertyNames', 'unevaluatedProperties', 'unevaluatedItems', 'contains', 'prefixItems'],
]);

/** Returns the reasons of OpenAI to refuse a strict schema. */
export function checkStrictSchema(schema: unknown): string[] {
  if (!isObject(schema)) return ['schema must be an object.'];
  return [
    ...unless(schema.type === 'object', `schema must have type 'object', got '${schema.type}'.`),
    ...inner(schema),
  ];
}

function inner(schema: unknown): string[] {
  if (!isObject(schema)) return [];
  const { properties, required, additionalProperties, type } = schema;
  const isOfObjects = isObject(properties) || [type].flat().includes('object');
  const names = isObject(properties) ? Object.keys(properties) : [];
  const missing = names.filter((name) => !(Array.isArray(required) && required.includes(name)));
  return [
    ...Object.keys(schema).flatMap((word) => unless(!BANNED.has(word), `'${word}' is not permitted.`)),
    ...unless(!isOfObjects || additionalProperties === false, "'additionalProperties' is required to be false."),
    ...missing.map((name) => `'required' is required to include every key in properties. Missing '${name}'.`),
    ...[properties, schema.$defs, schema.definitions].flatMap((map) => Object.values(Object(map)).flatMap(inner)),
    ...[schema.items, schema.anyOf].flat().flatMap(inner),
  ];
}
