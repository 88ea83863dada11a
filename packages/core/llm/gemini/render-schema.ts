import { mendSchema, withoutDeadReferences } from '../../json-schema/mend-schema.ts';
import { wordOf } from '../../text.ts';
import { flattenTop } from '../wire-tools/flatten-top.ts';
import { rememberSchemas } from '../wire-tools/remember-schemas.ts';

type Schema = Record<string, unknown>;

/** The parameters of a tool, whose schema may be of an older draft or broken. */
export const renderToolSchema = rememberSchemas((schema) => {
  const mended = mendSchema(schema);
  return withoutDeadReferences(renderSchema('$ref' in mended ? flattenTop(mended) : mended));
});

/**
 * A tool's parameters as `parametersJsonSchema` takes them: JSON Schema, of which Gemini documents a part. What it does
 * not know is said in words it knows where that can be, and dropped where it cannot. Pawl checks the arguments against
 * the full schema anyway. Pure; the schema given is left as it is.
 */
export function renderSchema(schema: unknown): Schema {
  if (!isObject(schema)) return {};
  const merged = mergeAllOf(schema);
  // Beside a reference nothing else may stand.
  if (typeof merged.$ref === 'string') return { $ref: definedIn(merged.$ref), ...definitionsOf(merged) };
  return withItems({
    ...typeOf(merged),
    ...plainFields(merged),
    ...choicesOf(merged),
    ...innerOf(merged),
    ...definitionsOf(merged),
  });
}

/** Gemini refuses a list without a schema for its items. */
function withItems(schema: Schema): Schema {
  const isList = [schema.type].flat().includes('array');
  return isList && !schema.items && !schema.prefixItems ? { ...schema, items: {} } : schema;
}

const PLAIN = ['description', 'minItems', 'maxItems', 'minimum', 'maximum', 'propertyOrdering'];
const FORMATS = new Set(['date-time', 'date', 'time', 'enum', 'int32', 'int64', 'float', 'double']);

function plainFields(schema: Schema): Schema {
  const kept = Object.fromEntries(PLAIN.filter((field) => field in schema).map((field) => [field, schema[field]]));
  return FORMATS.has(wordOf(schema.format)) ? { ...kept, format: schema.format } : kept;
}

/** `nullable` is OpenAPI's word for one more type; a constant that no `enum` can hold is named by its type. */
function typeOf({ type, nullable, const: constant }: Schema): Schema {
  const named = type ?? typeOfConstant(constant);
  if (named === undefined) return {};
  if (nullable !== true) return { type: named };
  return { type: [...new Set([named, 'null'].flat())] };
}

function typeOfConstant(constant: unknown): string | undefined {
  if (constant === undefined) return undefined;
  if (constant === null) return 'null';
  return Array.isArray(constant) ? 'array' : typeof constant;
}

/** An `enum` holds numbers and texts that are not empty; `oneOf` is read as `anyOf`. */
function choicesOf(schema: Schema): Schema {
  const { enum: given = 'const' in schema ? [schema.const] : [] } = schema;
  const values = Array.isArray(given) ? given.filter(isChoice) : [];
  const anyOf = [schema.anyOf, schema.oneOf].flatMap((each) => (Array.isArray(each) ? each : [])).map(renderSchema);
  return { ...(values.length ? { enum: values } : {}), ...(anyOf.length ? { anyOf } : {}) };
}

function isChoice(value: unknown): boolean {
  return typeof value === 'number' || (typeof value === 'string' && value !== '');
}

function innerOf({ properties, required, additionalProperties: more, items, prefixItems }: Schema): Schema {
  const inner: Schema = {};
  if (isObject(properties)) inner.properties = renderEach(properties);
  const names = namesOf(required).filter((name) => !isObject(properties) || Object.hasOwn(properties, name));
  if (names.length) inner.required = names;
  if (more !== undefined) inner.additionalProperties = isObject(more) ? renderSchema(more) : more;
  if (isObject(items)) inner.items = renderSchema(items);
  // Before 2020 a list of item schemas was written like this.
  const tuple = Array.isArray(items) ? items : prefixItems;
  if (Array.isArray(tuple)) inner.prefixItems = tuple.map(renderSchema);
  return inner;
}

function definitionsOf({ $defs, definitions }: Schema): Schema {
  const all = { ...(isObject(definitions) ? definitions : {}), ...(isObject($defs) ? $defs : {}) };
  return Object.keys(all).length ? { $defs: renderEach(all) } : {};
}

function definedIn(ref: string): string {
  return ref.replace(/^#\/definitions\//, '#/$defs/');
}

function renderEach(schemas: Schema): Schema {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, renderSchema(schema)]));
}

/** All of several objects is one object with the properties of each. */
function mergeAllOf({ allOf, ...schema }: Schema): Schema {
  if (!Array.isArray(allOf)) return schema;
  const all = [...allOf.filter(isObject).map(mergeAllOf), schema];
  const properties = Object.assign({}, ...all.map((each) => each.properties));
  const required = [...new Set(all.flatMap((each) => namesOf(each.required)))];
  return {
    ...Object.assign({}, ...all),
    ...(Object.keys(properties).length ? { properties } : {}),
    ...(required.length ? { required } : {}),
  };
}

function namesOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((name) => typeof name === 'string') : [];
}

function isObject(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
