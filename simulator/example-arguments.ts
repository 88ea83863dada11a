import { z } from 'zod';

const MAX_DEPTH = 6;

const Schema = z.looseObject({
  type: z
    .union([z.string(), z.array(z.string())])
    .optional()
    .catch(undefined),
  properties: z.record(z.string(), z.unknown()).optional().catch(undefined),
  required: z.array(z.string()).optional().catch(undefined),
  enum: z.array(z.unknown()).optional().catch(undefined),
  examples: z.array(z.unknown()).optional().catch(undefined),
  anyOf: z.array(z.unknown()).optional().catch(undefined),
  oneOf: z.array(z.unknown()).optional().catch(undefined),
  minimum: z.number().optional().catch(undefined),
  maximum: z.number().optional().catch(undefined),
  minLength: z.number().optional().catch(undefined),
  maxLength: z.number().optional().catch(undefined),
  $ref: z.string().optional().catch(undefined),
});
type Schema = z.output<typeof Schema>;
type Place = { root: unknown; name: string; depth: number };

/** Arguments that a JSON schema should accept: its required properties, filled from its own examples if it has any. */
export function exampleArguments(schema: Record<string, unknown>): Record<string, unknown> {
  return exampleObject(Schema.parse(schema), { root: schema, name: 'input', depth: 0 });
}

function exampleObject({ properties = {}, required = [] }: Schema, place: Place): Record<string, unknown> {
  const filled = required.map((name) => [
    name,
    exampleOf(properties[name], { ...place, name, depth: place.depth + 1 }),
  ]);
  return Object.fromEntries(filled);
}

function exampleOf(unread: unknown, place: Place): unknown {
  const parsed = Schema.safeParse(unread);
  if (!parsed.success || place.depth > MAX_DEPTH) return place.name;
  const schema = parsed.data;
  const given = [...(schema.examples ?? []), ...('default' in schema ? [schema.default] : []), ...(schema.enum ?? [])];
  if ('const' in schema) return schema.const;
  if (given.length) return given[0];

  const other = schema.$ref ? refTarget(place.root, schema.$ref) : (schema.anyOf ?? schema.oneOf)?.[0];
  return other === undefined ? exampleOfType(schema, place) : exampleOf(other, { ...place, depth: place.depth + 1 });
}

function exampleOfType(schema: Schema, place: Place): unknown {
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  if (type === 'object' || schema.properties) return exampleObject(schema, place);
  if (type === 'array') return [exampleOf(schema.items, { ...place, depth: place.depth + 1 })];
  if (type === 'boolean') return true;
  if (type === 'null') return null;
  if (type === 'number' || type === 'integer')
    return Math.min(Math.max(1, schema.minimum ?? 1), schema.maximum ?? Infinity);
  return place.name.padEnd(schema.minLength ?? 0, '-').slice(0, schema.maxLength);
}

/** Follows a reference inside the schema itself, such as `#/$defs/city`. */
function refTarget(root: unknown, ref: string): unknown {
  let target = root;
  for (const key of ref.split('/').slice(1)) {
    const level = z.record(z.string(), z.unknown()).safeParse(target);
    target = level.success ? level.data[key] : undefined;
  }
  return target;
}
