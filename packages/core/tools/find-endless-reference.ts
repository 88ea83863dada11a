type JsonSchema = Record<string, unknown>;

/** Keywords whose schemas are about the same value, so that a way through them alone comes to no end. */
const LISTS = ['allOf', 'anyOf', 'oneOf'];
const SINGLE = ['not', 'if', 'then', 'else'];

/**
 * A `$ref` that leads back to where it came from without going into a part of the value: checking it would never end.
 * One that leads back through `properties` or `items` is fine. Null where there is none.
 */
export function findEndlessReference(root: JsonSchema): string | null {
  const open = new Set<JsonSchema>();
  const ended = new Set<JsonSchema>();

  function isEndless(schema: JsonSchema): boolean {
    if (ended.has(schema)) return false;
    if (open.has(schema)) return true;
    open.add(schema);
    const found = [targetOf(schema.$ref, root), ...alternativesOf(schema)].some((next) => next && isEndless(next));
    open.delete(schema);
    ended.add(schema);
    return found;
  }
  for (const schema of referencesIn(root)) if (isEndless(schema)) return String(schema.$ref);
  return null;
}

function* referencesIn(value: unknown): Generator<JsonSchema> {
  if (typeof value !== 'object' || value === null) return;
  if (isRecord(value) && '$ref' in value) yield value;
  for (const inner of Object.values(value)) yield* referencesIn(inner);
}

function alternativesOf(schema: JsonSchema): JsonSchema[] {
  const listed = LISTS.flatMap((keyword) => (Array.isArray(schema[keyword]) ? schema[keyword] : []));
  const dependent = isRecord(schema.dependentSchemas) ? Object.values(schema.dependentSchemas) : [];
  return [...listed, ...SINGLE.map((keyword) => schema[keyword]), ...dependent].filter(isRecord);
}

/** What a pointer such as `#/$defs/name` points at; undefined for what is no pointer, or points at nothing. */
function targetOf(reference: unknown, root: JsonSchema): JsonSchema | undefined {
  if (typeof reference !== 'string' || !/^#(?:\/|$)/.test(reference)) return undefined;
  const steps = reference.split('/').slice(1).map(unescapeStep);
  const target = steps.reduce<unknown>(stepInto, root);
  return isRecord(target) ? target : undefined;
}

function stepInto(at: unknown, step: string): unknown {
  return typeof at === 'object' && at !== null ? Reflect.get(at, step) : undefined;
}

function unescapeStep(step: string): string {
  return decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
}

function isRecord(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
