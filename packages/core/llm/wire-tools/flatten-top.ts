import { isDeepStrictEqual } from 'node:util';
import { isRecord } from '../../json.ts';
import { listOf, recordOf, type Schema } from '../../json-schema/parts.ts';
import { targetOf } from '../../json-schema/pointer.ts';

/** Removes alternatives at the top, which some servers refuse. The object gets the properties of all alternatives. */
export function flattenTop(schema: Schema): Schema {
  const { anyOf, oneOf, allOf, enum: _, const: __, not: ___, $ref, ...rest } = schema;
  if (Object.keys(rest).length === Object.keys(schema).length) return schema;
  const whole = branches([{ allOf, $ref }], schema, always);
  const alternatives = branches([{ anyOf, oneOf, allOf, $ref }], schema, possibly);
  const properties = { ...mergedProperties(alternatives), ...recordOf(rest.properties) };
  const names = new Set([rest, ...whole].flatMap(({ required }) => listOf(required)));
  const required = [...names].filter((name) => typeof name === 'string' && Object.hasOwn(properties, name));
  return {
    ...rest,
    ...(Object.keys(properties).length > 0 ? { properties } : {}),
    ...(required.length > 0 ? { required } : {}),
  };
}

const always = ({ allOf, $ref }: Schema, root: Schema) => [...listOf(allOf), targetOf($ref, root)];
const possibly = (schema: Schema, root: Schema) => [
  ...[...always(schema, root), ...listOf(schema.anyOf), ...listOf(schema.oneOf)],
  ...[schema.then, schema.else],
];

/** Returns schemas, and the schemas that they refer to for the same value. */
function branches(starts: Schema[], root: Schema, next: (schema: Schema, root: Schema) => unknown[]): Schema[] {
  const seen = new Set<Schema>(starts);
  for (const schema of seen) for (const other of next(schema, root)) if (isRecord(other)) seen.add(other);
  return [...seen];
}

/** Merges properties. A name in several schemas may have any of their values. */
function mergedProperties(schemas: Schema[]): Schema {
  const all = new Map<string, unknown[]>();
  for (const { properties } of schemas) {
    for (const [name, part] of Object.entries(recordOf(properties))) {
      const known = all.get(name) ?? [];
      if (!known.some((other) => isDeepStrictEqual(other, part))) known.push(part);
      all.set(name, known);
    }
  }
  return Object.fromEntries([...all].map(([name, parts]) => [name, parts.length === 1 ? parts[0] : { anyOf: parts }]));
}
