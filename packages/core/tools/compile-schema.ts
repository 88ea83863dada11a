import { createHash } from 'node:crypto';
import { setFlagsFromString } from 'node:v8';
import { Ajv, type ErrorObject } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { Failure } from '../failure.ts';
import { quote, shorten } from '../text.ts';
import { findEndlessReference } from './find-endless-reference.ts';
import { OutOfTime, withinTime } from './within-time.ts';

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

/** What is kept, as text of schemas: a compiled one takes some 16 times its text, a small one 50 KB at the least. */
const KEPT = 500;
const KEPT_CHARACTERS = 2 * 1024 * 1024;
const JUDGED = 5_000;

/** Characters of what is wrong with a schema; it may quote all of it. */
const SHOWN = 200;

/** Compiling with references inlined, or code optimized, takes ten times as long for a large schema. */
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
// V8 would keep the code of every schema that was ever compiled, 1 MB for one of 60 KB, until memory runs short.
setFlagsFromString('--no-compilation-cache');

const judges = new Map<Draft, Ajv>();
const compiled = new Map<string, Validator>();
const judged = new Map<string, Verdict>();
let compiledCharacters = 0;

type Draft = keyof typeof makers;
type JsonSchema = Record<string, unknown>;
type Verdict = { kind: 'usable' } | { kind: 'refused'; failure: SchemaRefused; until: number };

/**
 * The check of a JSON Schema (2020-12, or draft-07 where `$schema` says so). Those used last are kept, up to 500 and 2 MiB of
 * text. Throws `SchemaRefused` for one that cannot be used, and for the minute after that at once.
 */
export function compileSchema(schema: JsonSchema): Validator {
  const text = JSON.stringify(schema);
  const check = compiled.get(text) ?? judge(schema, text);
  forget(text);
  compiled.set(text, check);
  compiledCharacters += text.length;
  while (compiled.size > KEPT || compiledCharacters > KEPT_CHARACTERS) forget(compiled.keys().next().value ?? text);
  return check;
}

/** Throws `SchemaRefused` for a JSON Schema that cannot be used. Only the verdict is kept: what callers define is not compiled to stay. */
export function requireUsable(schema: JsonSchema): void {
  const text = JSON.stringify(schema);
  if (!compiled.has(text) && verdictOn(digestOf(text))?.kind !== 'usable') judge(schema, text);
}

function forget(text: string): void {
  if (compiled.delete(text)) compiledCharacters -= text.length;
}

/** Compiles, and remembers by a digest whether that went well. Throws at once what was refused a moment ago. */
function judge(schema: JsonSchema, text: string): Validator {
  const digest = digestOf(text);
  const known = verdictOn(digest);
  if (known?.kind === 'refused') throw known.failure;
  try {
    const check = compile(schema);
    remember(digest, { kind: 'usable' });
    return check;
  } catch (error) {
    const failure = refusalOf(error);
    remember(digest, { kind: 'refused', failure, until: performance.now() + REFUSED_FOR_MS });
    throw failure;
  }
}

/** A machine may have been too busy to compile what it can compile later. */
function verdictOn(digest: string): Verdict | undefined {
  const found = judged.get(digest);
  return found?.kind === 'refused' && performance.now() > found.until ? undefined : found;
}

function remember(digest: string, verdict: Verdict): void {
  judged.delete(digest);
  judged.set(digest, verdict);
  if (judged.size > JUDGED) judged.delete(judged.keys().next().value ?? digest);
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}

/** Each schema has an instance of its own: what one leaves there, or breaks when it is stopped, reaches no other. */
function compile({ $schema, $id, id, $async, ...schema }: JsonSchema): Validator {
  const draft = draftOf($schema);
  const judge = judgeOf(draft);
  const validate = withinTime(COMPILE_LIMIT_MS, () => {
    judge.validateSchema(schema, true);
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

/** Knows what a schema of a draft looks like; asked once beforehand, since its own compiling must not be stopped. */
function judgeOf(draft: Draft): Ajv {
  const judge = judges.get(draft) ?? makers[draft]({});
  if (!judges.has(draft)) judge.validateSchema({});
  judges.set(draft, judge);
  return judge;
}

function refusalOf(error: unknown): SchemaRefused {
  if (error instanceof SchemaRefused) return error;
  if (error instanceof OutOfTime) return new SchemaRefused('it takes too long to compile; make it smaller');
  if (error instanceof RangeError) return new SchemaRefused('it lists or nests too much; make it smaller');
  return new SchemaRefused(shorten(error instanceof Error ? error.message : String(error), SHOWN));
}
