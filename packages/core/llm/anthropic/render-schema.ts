import { isRecord } from '../../json.ts';
import { wordOf } from '../../text.ts';

type Schema = Record<string, unknown>;

/**
 * A schema for a reply's text as `output_config.format` takes it: every object is closed, and there are no bounds. What the
 * wire does not know stays behind. Pure; the schema given is left as it is (contract-more: structured output).
 */
export function renderSchema(schema: unknown): Schema {
  if (!isRecord(schema)) return {};
  const definitions = definitionsOf(schema);
  if (typeof schema.$ref === 'string') return { $ref: definedIn(schema.$ref), ...definitions };
  return { ...plainFields(schema), ...choicesOf(schema), ...innerOf(schema), ...definitions };
}

const PLAIN = ['type', 'description', 'title', 'default', 'enum', 'const'];
const FORMATS = new Set(['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'uri', 'ipv4', 'ipv6', 'uuid']);

function plainFields(schema: Schema): Schema {
  const kept = Object.fromEntries(PLAIN.filter((field) => field in schema).map((field) => [field, schema[field]]));
  return FORMATS.has(wordOf(schema.format)) ? { ...kept, format: schema.format } : kept;
}

/** `oneOf` is read as `anyOf`. */
function choicesOf({ anyOf, oneOf, allOf }: Schema): Schema {
  const any = Array.isArray(anyOf) ? anyOf : oneOf;
  return {
    ...(Array.isArray(any) ? { anyOf: any.map(renderSchema) } : {}),
    ...(Array.isArray(allOf) ? { allOf: allOf.map(renderSchema) } : {}),
  };
}

function innerOf(schema: Schema): Schema {
  const { properties, required, items } = schema;
  const array = isRecord(items) ? { items: renderSchema(items) } : {};
  if (!isObject(schema)) return array;
  return {
    ...array,
    properties: isRecord(properties) ? renderEach(properties) : {},
    ...(Array.isArray(required) ? { required } : {}),
    additionalProperties: false,
  };
}

function isObject({ type, properties }: Schema): boolean {
  return isRecord(properties) || [type].flat().includes('object');
}

function definitionsOf({ $defs, definitions }: Schema): Schema {
  const all = { ...(isRecord(definitions) ? definitions : {}), ...(isRecord($defs) ? $defs : {}) };
  return Object.keys(all).length > 0 ? { $defs: renderEach(all) } : {};
}

function definedIn(ref: string): string {
  return ref.replace(/^#\/definitions\//, '#/$defs/');
}

function renderEach(schemas: Schema): Schema {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, renderSchema(schema)]));
}
