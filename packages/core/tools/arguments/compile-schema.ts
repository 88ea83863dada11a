import { createHash } from 'node:crypto';
import { setFlagsFromString } from 'node:v8';
import { Ajv, type ErrorObject } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { LRUCache } from 'lru-cache';
import { Failure } from '../../failure.ts';
import { isRecord } from '../../json.ts';
import { quote, shorten } from '../../text.ts';
import { OutOfTime, withinTime } from './time-budget.ts';

/** What a value breaks, or null. A pattern or a reference in the schema may keep it busy for ever: bound its time. */
export type Validator = (value: unknown) => ErrorObject[] | null;

/** A schema that cannot be used; the message says why. */
export class SchemaRefused extends Failure {
  constructor(message: string) {
    super('invalid_schema', message);
  }
}

const COMPILE_LIMIT_MS = 500;
const REFUSED_FOR_MS = 60_000;

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

/** By a digest of their text: why a schema was refused, null where it is usable. */
const schemaChecks = new LRUCache<string, { failure: SchemaRefused | null }>({ max: 5_000 });

type Draft = keyof typeof makers;
type JsonSchema = Record<string, unknown>;

/**
 * The check of a JSON Schema (2020-12, or draft-07 where `$schema` says so), compiled once while it is in use. Throws
 * `SchemaRefused` for one that cannot be used, and again within the minute without compiling.
 */
export function compileSchema(schema: JsonSchema): Validator {
  const text = JSON.stringify(schema);
  const known = compiled.get(text);
  if (known) return known;
  const check = compileOnce(schema, text);
  compiled.set(text, check);
  return check;
}

/** Throws `SchemaRefused` for a JSON Schema that cannot be used. Keeps the outcome, not the compiled schema. */
export function requireUsable(schema: JsonSchema): void {
  const text = JSON.stringify(schema);
  if (!compiled.has(text) && schemaChecks.get(digestOf(text))?.failure !== null) compileOnce(schema, text);
}

/**
 * Compiles, and keeps by a digest whether that worked. Throws at once what was refused within the last minute; a machine
 * may have been too busy to compile what it can compile later.
 */
function compileOnce(schema: JsonSchema, text: string): Validator {
  const digest = digestOf(text);
  const known = schemaChecks.get(digest);
  if (known?.failure) throw known.failure;
  try {
    const check = compile(schema);
    schemaChecks.set(digest, { failure: null });
    return check;
  } catch (error) {
    const failure = refusalOf(error);
    schemaChecks.set(digest, { failure }, { ttl: REFUSED_FOR_MS });
    throw failure;
  }
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}

/** Each schema has an Ajv of its own: what one schema leaves there, or breaks when it is stopped, reaches no other. */
function compile({ $schema, $id, id, $async, ...schema }: JsonSchema): Validator {
  const draft = draftOf($schema);
  const metaValidator = metaValidatorOf(draft);
  const validate = withinTime(COMPILE_LIMIT_MS, () => {
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
  if (error instanceof OutOfTime) return new SchemaRefused('it takes too long to compile; make it smaller');
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
