import { Ajv, type ErrorObject } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { Failure } from '../failure.ts';
import { withinTime } from './within-time.ts';

/** What a value breaks, or null. Throws after 250 ms: a pattern or a reference in the schema does not come to an end. */
export type Validator = (value: unknown) => ErrorObject[] | null;

/** A schema that cannot be used; the message says why. */
export class SchemaRefused extends Failure {
  constructor(message: string) {
    super('invalid_schema', message);
  }
}

const CHECK_LIMIT_MS = 250;
const COMPILE_LIMIT_MS = 2000;
const KEPT_VALIDATORS = 500;

/** These alone can make a check cost more than the size of schema times value. */
const SLOW_KEYWORDS = /"(?:pattern|patternProperties|uniqueItems|\$ref|\$dynamicRef|format)"/;

const options = {
  strict: false,
  allErrors: true,
  logger: false,
  addUsedSchema: false,
  ownProperties: true,
} as const;
const makers = { '2020-12': () => new Ajv2020(options), 'draft-07': () => new Ajv(options) };
const instances = new Map<Draft, Ajv>();
const validators = new Map<string, Validator>();

type Draft = keyof typeof makers;
type JsonSchema = Record<string, unknown>;

/** The check of a JSON Schema (2020-12, or draft-07 where `$schema` says so), kept for the 500 used last. */
export function compileSchema(schema: JsonSchema): Validator {
  const text = JSON.stringify(schema);
  const validator = validators.get(text) ?? boundedValidator(schema, text);
  validators.delete(text);
  validators.set(text, validator);
  if (validators.size > KEPT_VALIDATORS) validators.delete(validators.keys().next().value ?? text);
  return validator;
}

function boundedValidator(schema: JsonSchema, text: string): Validator {
  const check = compile(instanceOf(draftOf(schema)), schema);
  return SLOW_KEYWORDS.test(text) ? (value) => withinTime(CHECK_LIMIT_MS, () => check(value)) : check;
}

function compile(ajv: Ajv, { $schema, $id, id, $async, ...schema }: JsonSchema): Validator {
  try {
    const validate = withinTime(COMPILE_LIMIT_MS, () => ajv.compile(schema));
    return (value) => (validate(value) ? null : (validate.errors ?? []));
  } catch (error) {
    throw new SchemaRefused(error instanceof Error ? error.message : String(error));
  } finally {
    ajv.removeSchema(schema);
  }
}

function draftOf({ $schema }: JsonSchema): Draft {
  if ($schema === undefined) return '2020-12';
  if (/^https?:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/.test(String($schema))) return '2020-12';
  if (/^https?:\/\/json-schema\.org\/draft-07\/schema#?$/.test(String($schema))) return 'draft-07';
  throw new SchemaRefused('$schema must name JSON Schema 2020-12 or draft-07, or be left out');
}

function instanceOf(draft: Draft): Ajv {
  const ajv = instances.get(draft) ?? makers[draft]();
  if (!instances.has(draft)) addFormats.default(ajv);
  instances.set(draft, ajv);
  return ajv;
}
