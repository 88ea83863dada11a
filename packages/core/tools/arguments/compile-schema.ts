import { setFlagsFromString } from 'node:v8';
import { Ajv, type ErrorObject } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { LRUCache } from 'lru-cache';
import { Failure } from '../../failure.ts';
import { isRecord } from '../../json.ts';
import { quote, shorten } from '../../text.ts';
import { type Bound, OutOfTime } from './stop-after.ts';

/** Returns what a value breaks, or null. A pattern or a reference in the schema may keep it busy permanently: bound it. */
export type Validator = (value: unknown) => ErrorObject[] | null;

/** A schema that cannot be used; the message says why. */
export class SchemaRefused extends Failure {
  constructor(message: string) {
    super('invalid_schema', message);
  }
}

/** Characters of a compiler's message, which may quote the whole schema. */
const MESSAGE_LIMIT = 200;

/** Inlined references or optimized code make compiling a large schema ten times slower. */
const options = {
  strict: false,
  allErrors: true,
  logger: false,
  ownProperties: true,
  inlineRefs: false,
  code: { optimize: false },
} as const;
const makers = {
  '2020-12': (more: { meta?: false; validateSchema?: false }) => new Ajv2020({ ...options, ...more }),
  'draft-07': (more: { meta?: false; validateSchema?: false }) => new Ajv({ ...options, ...more }),
};
// V8 would cache the code of every compiled schema, 1 MB for one of 60 KB, until memory runs short.
setFlagsFromString('--no-compilation-cache');

const metaValidators = new Map<Draft, Ajv>();

/** By their text, counted in characters: a compiled schema takes some 16 times its text, a small one at least 50 KB. */
const compiled = new LRUCache<string, Validator>({
  max: 500,
  maxSize: 2 * 1024 * 1024,
  sizeCalculation: (_, text) => text.length,
});

type Draft = keyof typeof makers;
type JsonSchema = Record<string, unknown>;

/**
 * Compiles a JSON Schema (2020-12, or draft-07 if `$schema` names it), and keeps it while it is in use. Throws `SchemaRefused` for
 * a schema that cannot be used, and `OutOfTime` beyond the bound.
 */
export function compileSchema(schema: JsonSchema, bound: Bound = unbounded): Validator {
  const text = JSON.stringify(schema);
  const known = compiled.get(text);
  if (known) return known;
  const check = compileOnce(schema, bound);
  compiled.set(text, check);
  return check;
}

/** Compiles the same schema, and keeps nothing. */
export function compileOnce(schema: JsonSchema, bound: Bound = unbounded): Validator {
  try {
    return compile(schema, bound);
  } catch (error) {
    throw error instanceof OutOfTime ? error : refusalOf(error);
  }
}

/** Counts the compiled schemas that this thread keeps, and the characters of their text. */
export function countCompiled(): { schemas: number; length: number } {
  return { schemas: compiled.size, length: compiled.calculatedSize };
}

const unbounded: Bound = (work) => work();

/** Each schema has an Ajv of its own: what one schema leaves there, or breaks when it is stopped, reaches no other. */
function compile({ $schema, $id, id, $async, ...schema }: JsonSchema, bound: Bound): Validator {
  const draft = draftOf($schema);
  const metaValidator = metaValidatorOf(draft);
  const validate = bound(() => {
    metaValidator.validateSchema(schema, true);
    refuseEndless(schema);
    const ajv = makers[draft]({ meta: false, validateSchema: false });
    addFormats.default(ajv);
    return ajv.compile(schema);
  });
  return (value) => (validate(value) ? null : (validate.errors ?? []));
}

function refuseEndless(schema: JsonSchema): void {
  const reference = findEndlessReference(schema);
  if (reference === null) return;
  const where = quote(reference);
  throw new SchemaRefused(`following the $ref ${where} comes to no end; let it lead into properties or items`);
}

function draftOf($schema: unknown): Draft {
  if ($schema === undefined) return '2020-12';
  if (/^https?:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/.test(String($schema))) return '2020-12';
  if (/^https?:\/\/json-schema\.org\/draft-07\/schema#?$/.test(String($schema))) return 'draft-07';
  throw new SchemaRefused('$schema must name JSON Schema 2020-12 or draft-07, or be left out');
}

/** Validates schemas of a draft. Compiles the draft's own schema at once, since that must not be stopped later. */
function metaValidatorOf(draft: Draft): Ajv {
  const known = metaValidators.get(draft);
  if (known) return known;
  const metaValidator = makers[draft]({});
  metaValidator.validateSchema({});
  metaValidators.set(draft, metaValidator);
  return metaValidator;
}

function refusalOf(error: unknown): SchemaRefused {
  if (error instanceof SchemaRefused) return error;
  if (error instanceof RangeError) return new SchemaRefused('it lists or nests too much; make it smaller');
  return new SchemaRefused(shorten(error instanceof Error ? error.message : String(error), MESSAGE_LIMIT));
}

type SchemaNode = Record<string, unknown>;

/** Keywords with schemas for the same value, so that a cycle through them alone never ends. */
const LISTS = ['allOf', 'anyOf', 'oneOf'];
const SINGLE = ['not', 'if', 'then', 'else'];

/**
 * A `$ref` that leads back to itself without going into a part of the value: checking it would never end. One that leads
 * back through `properties` or `items` is fine. Null where there is none.
 */
function findEndlessReference(root: SchemaNode): string | null {
  const open = new Set<SchemaNode>();
  const ended = new Set<SchemaNode>();

  function isEndless(schema: SchemaNode): boolean {
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

function* referencesIn(value: unknown): Generator<SchemaNode> {
  if (typeof value !== 'object' || value === null) return;
  if (isRecord(value) && '$ref' in value) yield value;
  for (const inner of Object.values(value)) yield* referencesIn(inner);
}

function alternativesOf(schema: SchemaNode): SchemaNode[] {
  const listed = LISTS.flatMap((keyword) => (Array.isArray(schema[keyword]) ? schema[keyword] : []));
  const dependent = isRecord(schema.dependentSchemas) ? Object.values(schema.dependentSchemas) : [];
  return [...listed, ...SINGLE.map((keyword) => schema[keyword]), ...dependent].filter(isRecord);
}

/** What a pointer such as `#/$defs/name` points at; undefined for anything else. */
function targetOf(reference: unknown, root: SchemaNode): SchemaNode | undefined {
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
