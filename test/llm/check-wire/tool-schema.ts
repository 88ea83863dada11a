import { Ajv2020 } from 'ajv/dist/2020.js';
import { isObject, unless } from './problems.ts';

type Schema = Record<string, unknown>;

const ajv = new Ajv2020({ strict: false, logger: false, formats: { regex: isPythonPattern } });
const ALTERNATIVES = ['anyOf', 'oneOf', 'allOf', 'enum', 'not'];

/** Returns the reasons of Chat Completions to refuse a tool schema. Strict schemas have other rules. */
export function checkOpenaiSchema(schema: unknown, isStrict = false): string[] {
  if (!isObject(schema)) return ['a schema that is no object'];
  const parts = isStrict ? [] : partsOf(schema);
  return [
    ...checkDraft(schema),
    ...checkTop(schema),
    ...parts.flatMap((part) =>
      unless(!isOf(part, 'object') || isObject(part.properties), 'an object without properties'),
    ),
    ...parts.flatMap((part) => unless(!isOf(part, 'array') || isObject(part.items), 'a list without items')),
    ...parts.flatMap((part) => unless(!('prefixItems' in part), 'a tuple')),
  ];
}

export function checkAnthropicSchema(schema: unknown): string[] {
  if (!isObject(schema)) return ['a schema that is no object'];
  const names = partsOf(schema).flatMap(({ properties }) => (isObject(properties) ? Object.keys(properties) : []));
  return [
    ...checkDraft(schema),
    ...checkTop(schema),
    ...names.flatMap((name) => unless(/^[a-zA-Z0-9_.-]{1,64}$/.test(name), `the property ${name}`)),
  ];
}

/** Returns the problems by Gemini's documented names and fields of `parametersJsonSchema`. */
export function checkGeminiSchema(schema: unknown): string[] {
  if (schema === undefined) return [];
  if (!isObject(schema)) return ['a schema that is no object'];
  const parts = partsOf(schema);
  const names = parts.flatMap(({ properties }) => (isObject(properties) ? Object.keys(properties) : []));
  return [
    ...checkDraft(schema),
    ...names.flatMap((name) => unless(/^[a-zA-Z_][a-zA-Z0-9_]{0,63}$/.test(name), `the property ${name}`)),
    ...parts.flatMap((part) => Object.keys(part).flatMap((field) => unless(FIELDS.has(field), `the field ${field}`))),
    ...parts.flatMap((part) =>
      unless(!isOf(part, 'array') || 'items' in part || 'prefixItems' in part, 'a list without items'),
    ),
    ...parts.flatMap((part) => unless(!part.required || requiresKnown(part), 'a required name without a property')),
  ];
}

const FIELDS = new Set([
  ...['$id', '$defs', '$ref', '$anchor', 'type', 'format', 'title', 'description', 'enum', 'items', 'prefixItems'],
  ...['minItems', 'maxItems', 'minimum', 'maximum', 'anyOf', 'oneOf', 'properties', 'additionalProperties', 'required'],
  'propertyOrdering',
]);

function requiresKnown({ required, properties }: Schema): boolean {
  return (
    !isObject(properties) || (Array.isArray(required) && required.every((name) => Object.hasOwn(properties, name)))
  );
}

function checkDraft(schema: Schema): string[] {
  const problems = ajv.validateSchema(schema) ? [] : [`no schema of 2020-12: ${ajv.errorsText(ajv.errors)}`];
  const others = partsOf(schema).filter(({ $ref }) => $ref !== undefined && !leads($ref, schema));
  return [
    ...problems,
    ...others.map(({ $ref }) => `the reference ${$ref}`),
    ...unless(schema.$schema === undefined || /2020-12/.test(String(schema.$schema)), `the draft ${schema.$schema}`),
  ];
}

function checkTop(schema: Schema): string[] {
  return [
    ...unless(schema.type === 'object', 'a schema that is no object'),
    ...unless(!ALTERNATIVES.some((field) => field in schema), 'alternatives at the top'),
  ];
}

function isOf({ type }: Schema, name: string): boolean {
  return [type].flat().includes(name);
}

function leads(reference: unknown, root: Schema): boolean {
  if (typeof reference !== 'string' || !/^#(\/|$)/.test(reference)) return false;
  const steps = reference.split('/').slice(1);
  const names = steps.map((step) => decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~'));
  const found = names.reduce<unknown>((at, name) => (Object(at) as Schema)[name], root);
  return isObject(found);
}

/** Returns all schemas within a schema, itself first. */
function partsOf(schema: unknown): Schema[] {
  if (!isObject(schema)) return [];
  const maps = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'];
  const named = maps.flatMap((field) => Object.values(Object(schema[field]) as Schema));
  const others = Object.entries(schema).flatMap(([field, value]) => (HOLDERS.has(field) ? [value].flat() : []));
  return [schema, ...[...named, ...others].flatMap(partsOf)];
}

const HOLDERS = new Set([
  ...['items', 'prefixItems', 'contains', 'additionalProperties', 'propertyNames', 'not', 'if', 'then', 'else'],
  ...['allOf', 'anyOf', 'oneOf', 'unevaluatedItems', 'unevaluatedProperties'],
]);

/** Returns whether Python can read a pattern, as far as JavaScript can check. */
function isPythonPattern(pattern: string): boolean {
  if (/\\[pPkcuzZ]\{?|\(\?<|\(\?[a-z]+:/.test(pattern.replace(/\\u[0-9a-f]{4}/gi, ''))) return false;
  try {
    return Boolean(new RegExp(pattern));
  } catch {
    return false;
  }
}
