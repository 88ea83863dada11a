import { setFlagsFromString } from 'node:v8';
import type { ErrorObject } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { LRUCache } from 'lru-cache';
import { Failure } from '../../failure.ts';
import { isRecord } from '../../json.ts';
import { listOf, recordOf, type Schema } from '../../json-schema/parts.ts';
import { compilePattern, findFlaw, withUsablePatterns } from '../../json-schema/patterns.ts';
import { targetOf } from '../../json-schema/pointer.ts';
import { isKnownDraft, translateSchema } from '../../json-schema/translate-drafts.ts';
import { quote, shorten } from '../../text.ts';
import { type Bound, OutOfTime } from './stop-after.ts';

/**
 * Returns the violations of a value, or null. A pattern or reference in the schema may loop permanently, so bound it.
 */
export type Validator = (value: unknown) => ErrorObject[] | null;

/** The error for an unusable schema. Its message has the reason. */
export class SchemaRefused extends Failure {
  constructor(message: string) {
    super('invalid_schema', message);
  }
}

const MESSAGE_LIMIT = 200;

/** Reads the patterns of a schema. A pattern of another language that JavaScript cannot read matches every text. */
const regExp = Object.assign((pattern: string) => compilePattern(pattern) ?? everyText(pattern), {
  code: 'new RegExp',
});

function everyText(pattern: string): RegExp {
  const flaw = findFlaw(pattern);
  if (flaw !== null) throw new SchemaRefused(`the pattern ${quote(pattern)} cannot be read: ${flaw}`);
  return /(?:)/;
}

/** Without these options, inlined references or optimized code make compiling a large schema ten times slower. */
const options = {
  strict: false,
  allErrors: true,
  logger: false,
  ownProperties: true,
  inlineRefs: false,
  code: { optimize: false, regExp },
} as const;
// V8 would cache the code of every compiled schema (1 MB for a schema of 60 KB) until memory runs out.
setFlagsFromString('--no-compilation-cache');

/**
 * Compiled schemas by their text, counted in characters. A compiled schema takes about 16 times its text, and at
 * least 50 KB.
 */
const compiled = new LRUCache<string, Validator>({
  max: 500,
  maxSize: 2 * 1024 * 1024,
  sizeCalculation: (_, text) => text.length,
});

/**
 * Compiles a JSON Schema (2020-12, or an earlier draft from 4) and caches it. Throws `SchemaRefused` or `OutOfTime`.
 */
export function compileSchema(schema: Schema, bound: Bound = unbounded): Validator {
  const text = JSON.stringify(schema);
  const known = compiled.get(text);
  if (known) return known;
  const check = compileOnce(schema, bound);
  compiled.set(text, check);
  return check;
}

export function compileOnce(schema: Schema, bound: Bound = unbounded): Validator {
  try {
    return compile(schema, bound);
  } catch (error) {
    throw error instanceof OutOfTime ? error : refusalOf(error);
  }
}

/** Counts the cached schemas of this thread and the characters of their text. */
export function countCompiled(): { schemas: number; length: number } {
  return { schemas: compiled.size, length: compiled.calculatedSize };
}

const unbounded: Bound = (work) => work();

/** Compiles each schema with its own Ajv, so that a stopped schema cannot affect others. */
function compile(given: Schema, bound: Bound): Validator {
  if (given.$schema !== undefined && !isKnownDraft(given.$schema))
    throw new SchemaRefused('$schema must name JSON Schema 2020-12 or an older draft down to 4, or be left out');
  const drafts = compiledMetaValidator();
  const validate = bound(() => {
    const { $async: _, ...schema } = withUsablePatterns(translateSchema(given));
    drafts.validateSchema(schema, true);
    refuseEndless(schema);
    const ajv = new Ajv2020({ ...options, meta: false, validateSchema: false });
    addFormats.default(ajv);
    return ajv.compile(schema);
  });
  return (value) => (validate(value) ? null : (validate.errors ?? []));
}

function refuseEndless(schema: Schema): void {
  const reference = findEndlessReference(schema);
  if (reference === null) return;
  const where = quote(reference);
  throw new SchemaRefused(`the $ref ${where} refers to itself without end, let it refer into properties or items`);
}

let metaValidator: Ajv2020 | null = null;

/**
 * Returns the validator of schemas. It compiles the draft's own schema now, since a later stop must not interrupt
 * that.
 */
function compiledMetaValidator(): Ajv2020 {
  if (metaValidator) return metaValidator;
  const made = new Ajv2020(options);
  made.validateSchema({});
  metaValidator = made;
  return made;
}

function refusalOf(error: unknown): SchemaRefused {
  if (error instanceof SchemaRefused) return error;
  if (error instanceof RangeError) return new SchemaRefused('the schema is too large or too deep, make it smaller');
  return new SchemaRefused(shorten(error instanceof Error ? error.message : String(error), MESSAGE_LIMIT));
}

/** Keywords with schemas for the same value. A cycle through only these keywords never ends. */
const LISTS = ['allOf', 'anyOf', 'oneOf'];
const SINGLE = ['not', 'if', 'then', 'else'];

/** Finds a `$ref` that leads back to itself for the same value, so that a check would never end. */
function findEndlessReference(root: Schema): string | null {
  const open = new Set<Schema>();
  const ended = new Set<Schema>();

  function isEndless(schema: Schema): boolean {
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

function* referencesIn(value: unknown): Generator<Schema> {
  if (typeof value !== 'object' || value === null) return;
  if (isRecord(value) && '$ref' in value) yield value;
  for (const inner of Object.values(value)) yield* referencesIn(inner);
}

function alternativesOf(schema: Schema): Schema[] {
  const listed = LISTS.flatMap((keyword) => listOf(schema[keyword]));
  const dependent = Object.values(recordOf(schema.dependentSchemas));
  return [...listed, ...SINGLE.map((keyword) => schema[keyword]), ...dependent].filter(isRecord);
}
