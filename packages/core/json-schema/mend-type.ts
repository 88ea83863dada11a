import type { Schema } from './parts.ts';

/** The names that Google's enum of types numbers from 1. */
const NUMBERED = ['string', 'number', 'integer', 'boolean', 'array', 'object', 'null'];
const NAMES = new Set(NUMBERED);

const ALIASES: Record<string, string> = {
  ...{ str: 'string', text: 'string', varchar: 'string', char: 'string', uuid: 'string', date: 'string' },
  ...{ datetime: 'string', int: 'integer', int32: 'integer', int64: 'integer', long: 'integer' },
  ...{ float: 'number', double: 'number', decimal: 'number', bool: 'boolean', none: 'null', nil: 'null' },
  ...{ dict: 'object', map: 'object', record: 'object', list: 'array', tuple: 'array', set: 'array' },
};

/** Returns the JSON type for a name, or undefined if the name means any type or none. */
export function typeNamed(name: unknown): string | undefined {
  if (typeof name === 'number') return NUMBERED[name - 1];
  if (typeof name !== 'string') return undefined;
  if (NAMES.has(name)) return name;
  const lower = name.toLowerCase();
  if (NAMES.has(lower)) return lower;
  return Object.hasOwn(ALIASES, lower) ? ALIASES[lower] : undefined;
}

/** Mends the value of `type`, a name or a list, or undefined if any type is allowed. */
export function mendType(type: unknown): unknown {
  if (!Array.isArray(type)) return typeNamed(type);
  const names = type.map(typeNamed);
  // An unknown type may be any.
  if (names.length === 0 || names.includes(undefined)) return undefined;
  return [...new Set(names)];
}

/** Translates `nullable`, a keyword of OpenAPI, into JSON Schema. */
export function withNull(schema: Schema): Schema {
  if (schema.nullable === undefined) return schema;
  const { nullable, ...rest } = schema;
  if (nullable !== true || Object.keys(rest).length === 0) return rest;
  if (rest.type === undefined) return { anyOf: [rest, { type: 'null' }] };
  const values = Array.isArray(rest.enum) && !rest.enum.includes(null) ? { enum: [...rest.enum, null] } : {};
  return { ...rest, ...values, type: [...new Set([rest.type, 'null'].flat())] };
}

/** Leaves out values of an `enum` that the type does not allow, since some servers refuse such a schema. */
export function withFittingEnum(schema: Schema): Schema {
  if (!Array.isArray(schema.enum)) return schema;
  const { enum: values, ...rest } = schema;
  const types = [rest.type ?? []].flat();
  const fitting = [...new Set(values)].filter(
    (value) => types.length === 0 || typesOf(value).some((type) => types.includes(type)),
  );
  if (fitting.length === values.length) return schema;
  return fitting.length > 0 ? { ...schema, enum: fitting } : rest;
}

function typesOf(value: unknown): string[] {
  if (value === null) return ['null'];
  if (Array.isArray(value)) return ['array'];
  return typeof value === 'number' && Number.isInteger(value) ? ['number', 'integer'] : [typeof value];
}
