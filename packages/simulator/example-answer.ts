import { z } from 'zod';
import type { ResponseFormat } from './chat-request.ts';

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
type SchemaPath = { root: unknown; name: string; depth: number };

/**
 * An answer in the form that the request demands: JSON that the schema should accept, the words in a JSON object, or the
 * words as they are.
 */
export function exampleAnswer(format: ResponseFormat | null | undefined, words: string): string {
  if (format?.type === 'json_object') return JSON.stringify({ answer: words });
  if (format?.type !== 'json_schema') return words;
  const schema = format.json_schema.schema ?? {};
  return JSON.stringify(exampleOf(schema, { root: schema, name: 'answer', depth: 0 }));
}

/** Arguments that a JSON schema should accept: its required properties, from its own examples where it has any. */
export function exampleArguments(schema: Record<string, unknown>): Record<string, unknown> {
  return exampleObject(Schema.parse(schema), { root: schema, name: 'input', depth: 0 });
}

function exampleObject({ properties = {}, required = [] }: Schema, path: SchemaPath): Record<string, unknown> {
  const filled = required.map((name) => [name, exampleOf(properties[name], { ...path, name, depth: path.depth + 1 })]);
  return Object.fromEntries(filled);
}

function exampleOf(unparsed: unknown, path: SchemaPath): unknown {
  const parsed = Schema.safeParse(unparsed);
  if (!parsed.success || path.depth > MAX_DEPTH) return path.name;
  const schema = parsed.data;
  const given = [...(schema.examples ?? []), ...('default' in schema ? [schema.default] : []), ...(schema.enum ?? [])];
  if ('const' in schema) return schema.const;
  if (given.length) return given[0];

  const other = schema.$ref ? refTarget(path.root, schema.$ref) : (schema.anyOf ?? schema.oneOf)?.[0];
  return other === undefined ? exampleOfType(schema, path) : exampleOf(other, { ...path, depth: path.depth + 1 });
}

function exampleOfType(schema: Schema, path: SchemaPath): unknown {
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  if (type === 'object' || schema.properties) return exampleObject(schema, path);
  if (type === 'array') return [exampleOf(schema.items, { ...path, depth: path.depth + 1 })];
  if (type === 'boolean') return true;
  if (type === 'null') return null;
  if (type === 'number' || type === 'integer')
    return Math.min(Math.max(1, schema.minimum ?? 1), schema.maximum ?? Infinity);
  return path.name.padEnd(schema.minLength ?? 0, '-').slice(0, schema.maxLength);
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
