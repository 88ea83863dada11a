import { z } from 'zod';
import type { ResponseFormat } from './chat-request.ts';

/** The maximum number of schemas read for an example. A real schema needs fewer. The limit stops hostile schemas. */
const MOST_SCHEMAS = 10_000;

const Schemas = z.array(z.unknown()).optional().catch(undefined);
const Bound = z.number().optional().catch(undefined);
const Schema = z.looseObject({
  type: z
    .union([z.string(), z.array(z.string())])
    .optional()
    .catch(undefined),
  properties: z.record(z.string(), z.unknown()).optional().catch(undefined),
  required: z.array(z.string()).optional().catch(undefined),
  ...{ enum: Schemas, examples: Schemas, anyOf: Schemas, oneOf: Schemas, allOf: Schemas, prefixItems: Schemas },
  ...{ minimum: Bound, maximum: Bound, minLength: Bound, maxLength: Bound, minItems: Bound },
  $ref: z.string().optional().catch(undefined),
});
type Schema = z.output<typeof Schema>;

/**
 * The context of a schema: the `root` of its references, the `name` of the property, and the references already
 * followed. `left` counts the schemas that may still be read.
 */
type Place = { root: unknown; name: string; followed: readonly string[]; left: { schemas: number } };

/** Marks a schema that only endless values match, since each contains another value of the same kind. */
const ENDLESS = Symbol('endless');

/** Returns an answer in the demanded form: JSON for the schema, the words in a JSON object, or the words unchanged. */
export function exampleAnswer(format: ResponseFormat | null | undefined, words: string): string {
  if (format?.type === 'json_object') return JSON.stringify({ answer: words });
  if (format?.type !== 'json_schema') return words;
  const example = exampleOfRoot(format.json_schema.schema ?? {}, 'answer');
  return JSON.stringify(example === ENDLESS ? 'answer' : example);
}

/** Returns arguments that a JSON schema should accept: its required properties, from its own examples if possible. */
export function exampleArguments(schema: Record<string, unknown>): Record<string, unknown> {
  const example = exampleOfRoot(schema, 'input');
  return isObject(example) ? example : {};
}

function exampleOfRoot(schema: Record<string, unknown>, name: string): unknown {
  return exampleOf(schema, { root: schema, name, followed: ['#'], left: { schemas: MOST_SCHEMAS } });
}

function exampleOf(unparsed: unknown, place: Place): unknown {
  place.left.schemas -= 1;
  if (place.left.schemas < 0) return ENDLESS;
  const parsed = Schema.safeParse(unparsed);
  if (!parsed.success) return place.name;
  const schema = parsed.data;
  const given = [...(schema.examples ?? []), ...('default' in schema ? [schema.default] : []), ...(schema.enum ?? [])];
  if ('const' in schema) return schema.const;
  if (given.length) return given[0];
  if (schema.$ref) return exampleOfTarget(schema.$ref, place);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return firstOf(choices, (choice) => exampleOf(withOwn(schema, choice), place));
  return schema.allOf ? exampleOf(schema.allOf.reduce(withOwn, schema), place) : exampleOfTypes(schema, place);
}

/** Follows a reference once. A value that contains the same reference again is endless. */
function exampleOfTarget(ref: string, place: Place): unknown {
  if (place.followed.includes(ref)) return ENDLESS;
  return exampleOf(targetOf(place.root, ref), { ...place, followed: [...place.followed, ref] });
}

function firstOf<Choice>(choices: readonly Choice[], example: (choice: Choice) => unknown): unknown {
  for (const choice of choices) {
    const found = example(choice);
    if (found !== ENDLESS) return found;
  }
  return ENDLESS;
}

/** Joins part of an `anyOf`, `oneOf` or `allOf` with the keywords beside it. */
function withOwn(own: unknown, part: unknown): unknown {
  if (!isObject(own) || !isObject(part)) return part;
  const { anyOf: _, oneOf: __, allOf: ___, ...rest } = own;
  if (Object.keys(rest).every((keyword) => ANNOTATIONS.includes(keyword))) return part;
  const properties = { ...Object(rest.properties), ...Object(part.properties) };
  const required = [...new Set([rest.required, part.required].flatMap((names) => (Array.isArray(names) ? names : [])))];
  const joined = { ...rest, ...part };
  return isObjectSchema(joined) ? { ...joined, properties, required } : joined;
}

/** Keywords that do not describe a value, or only locate definitions. */
const ANNOTATIONS = ['$schema', '$id', '$defs', 'definitions', 'title', 'description'];

function isObjectSchema({ type, properties, required }: Record<string, unknown>): boolean {
  return type === 'object' || properties !== undefined || required !== undefined;
}

function exampleOfTypes(schema: Schema, place: Place): unknown {
  const types = [schema.type ?? (schema.properties ? 'object' : 'string')].flat();
  return firstOf(types, (type) => exampleOfType(type, schema, place));
}

function exampleOfType(type: string, schema: Schema, place: Place): unknown {
  switch (type) {
    case 'object':
      return exampleObject(schema, place);
    case 'array':
      return exampleArray(schema, place);
    case 'boolean':
      return true;
    case 'null':
      return null;
    case 'number':
    case 'integer':
      return Math.min(Math.max(1, schema.minimum ?? 1), schema.maximum ?? Infinity);
    default:
      return place.name.padEnd(schema.minLength ?? 0, '-').slice(0, schema.maxLength);
  }
}

function exampleObject({ properties = {}, required = [] }: Schema, place: Place): unknown {
  const filled = required.map((name) => [name, exampleOf(properties[name], { ...place, name })] as const);
  return filled.some(([, value]) => value === ENDLESS) ? ENDLESS : Object.fromEntries(filled);
}

/** Returns a list of examples. If the items are endless, the list is empty, unless the schema demands items. */
function exampleArray({ items, prefixItems = [], minItems = 0 }: Schema, place: Place): unknown {
  const count = Math.max(1, Math.min(minItems, MOST_ITEMS), prefixItems.length);
  const examples = Array.from({ length: count }, (_, index) => exampleOf(prefixItems[index] ?? items, place));
  if (!examples.includes(ENDLESS)) return examples;
  return minItems > 0 ? ENDLESS : [];
}

const MOST_ITEMS = 100;

/** Finds the schema that a reference names inside the root, such as `#/$defs/city`. */
function targetOf(root: unknown, ref: string): unknown {
  let target = root;
  for (const key of ref.split('/').slice(1)) {
    const name = decodeURIComponent(key).replaceAll('~1', '/').replaceAll('~0', '~');
    target = typeof target === 'object' && target !== null ? Reflect.get(target, name) : undefined;
  }
  return target;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
