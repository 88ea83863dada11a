import { isRecord } from '../json.ts';

/** A JSON Schema that is an object. */
export type Schema = Record<string, unknown>;

/** Keywords that hold schemas: by names, in a list, or a single schema. */
export type SchemaKeywords = { maps: readonly string[]; lists: readonly string[]; single: readonly string[] };

/** Keywords with schemas for parts of a value. `items` was a list of schemas before 2020. */
export const INNER_KEYWORDS: SchemaKeywords = {
  maps: ['properties', 'patternProperties'],
  lists: ['prefixItems', 'items'],
  single: ['items', 'additionalItems', 'additionalProperties', 'unevaluatedItems', 'unevaluatedProperties', 'contains'],
};

/** Keywords with schemas for the same value, or that define schemas for later. */
export const SAME_KEYWORDS: SchemaKeywords = {
  maps: ['dependentSchemas', '$defs', 'definitions'],
  lists: ['allOf', 'anyOf', 'oneOf'],
  single: ['not', 'if', 'then', 'else', 'propertyNames'],
};

const BOTH = [INNER_KEYWORDS, SAME_KEYWORDS];
const MAPS = new Set([...BOTH.flatMap(({ maps }) => maps), 'dependencies']);
const OTHERS = new Set([...BOTH.flatMap(({ lists, single }) => [...lists, ...single]), 'contentSchema']);

/** Changes one part of a schema. `steps` lead from the schema to the part. */
export type ChangePart = (part: Schema, steps: string[]) => unknown;

/** Copies a schema and changes each of its parts. Data and values other than schemas stay. */
export function mapParts(schema: Schema, change: ChangePart): Schema {
  const each = (value: unknown, steps: string[]) => (isRecord(value) ? change(value, steps) : value);
  return mapValues(schema, (value, keyword) => {
    if (MAPS.has(keyword))
      return isRecord(value) ? mapValues(value, (part, name) => each(part, [keyword, name])) : value;
    if (!OTHERS.has(keyword)) return value;
    return Array.isArray(value)
      ? value.map((part, index) => each(part, [keyword, String(index)]))
      : each(value, [keyword]);
  });
}

export function partsOf(schema: Schema): Schema[] {
  const parts: Schema[] = [];
  for (const keyword in schema) {
    if (MAPS.has(keyword)) parts.push(...Object.values(recordOf(schema[keyword])).filter(isRecord));
    else if (OTHERS.has(keyword)) parts.push(...[schema[keyword]].flat().filter(isRecord));
  }
  return parts;
}

export function mapValues(record: Schema, change: (value: unknown, key: string) => unknown): Schema {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value, key)]));
}

/** Returns a value that is an object, or an empty object. */
export function recordOf(value: unknown): Schema {
  return isRecord(value) ? value : {};
}

/** Returns a value that is a list, or an empty list. */
export function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
