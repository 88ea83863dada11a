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

/** Returns what a value breaks, or null. A pattern or a reference in the schema may keep it busy permanently: bound it. */
export type Validator = (value: unknown) => ErrorObject[] | null;

/** A schema that cannot be used; the message says why. */
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

/** Inlined references or optimized code make compiling a large schema ten times slower. */
const options = {
  strict: false,
  allErrors: true,
  logger: false,
  ownProperties: true,
  inlineRefs: false,
  code: { optimize: false, regExp },
} as const;
// V8 would cache the code of every compiled schema, 1 MB for one of 60 KB, until memory runs short.
setFlagsFromString('--no-compilation-cache');

/** By their text, counted in characters: a compiled schema takes some 16 times its text, a small one at least 50 KB. */
const compiled = new LRUCache<string, Validator>({
  max: 500,
  maxSize: 2 * 1024 * 1024,
  sizeCalculation: (_, text) => text.length,
});

/** Compiles a JSON Schema (2020-12, or a draft from 4 on) and keeps it. Throws `SchemaRefused` or `OutOfTime`. */
export function compileSchema(schema: Schema, bound: Bound = unbounded): Validator {
  const text = JSON.stringify(schema);
  const known = compiled.get(text);
  if (known) return known;
  const check = compileOnce(schema, bound);
  compiled.set(text, check);
  return check;
}

/** Compiles the same schema, and keeps nothing. */
export function compileOnce(schema: Schema, bound: Bound = unbounded): Validator {
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
  throw new SchemaRefused(`following the $ref ${where} comes to no end; let it lead into properties or items`);
}

let metaValidator: Ajv2020 | null = null;

/** Validates schemas. Compiles the draft's own schema at once, since that must not be stopped later. */
function compiledMetaValidator(): Ajv2020 {
  if (metaValidator) return metaValidator;
  const made = new Ajv2020(options);
  made.validateSchema({});
  metaValidator = made;
  return made;
}

function refusalOf(error: unknown): SchemaRefused {
  if (error instanceof SchemaRefused) return error;
  if (error instanceof RangeError) return new SchemaRefused('it lists or nests too much; make it smaller');
  return new SchemaRefused(shorten(error instanceof Error ? error.message : String(error), MESSAGE_LIMIT));
}

/** Keywords with schemas for the same value, so that a cycle through them alone never ends. */
const LISTS = ['allOf', 'anyOf', 'oneOf'];
const SINGLE = ['not', 'if', 'then', 'else'];

/** A `$ref` that leads back to itself without going into a part of the value, so that a check would never end. */
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
