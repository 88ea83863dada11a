import { isRecord } from '../../json.ts';
import { mendSchema, withoutDeadReferences } from '../../json-schema/mend-schema.ts';
import { listOf, mapValues, type Schema } from '../../json-schema/parts.ts';
import { definedIn, definitionsIn, plainFields } from '../wire-tools/definitions.ts';
import { flattenTop } from '../wire-tools/flatten-top.ts';
import { rememberSchemas } from '../wire-tools/remember-schemas.ts';

/** Renders the parameters of a tool. Their schema may have an older draft or be broken. */
export const renderToolSchema = rememberSchemas((schema) => {
  const mended = mendSchema(schema);
  return withoutDeadReferences(renderSchema('$ref' in mended ? flattenTop(mended) : mended));
});

/**
 * Renders a tool's parameters for `parametersJsonSchema`, which supports a documented part of JSON Schema.
 * Unsupported keywords are expressed by supported keywords if possible, and dropped otherwise. Pawl checks the
 * arguments against the complete schema. The given schema is not changed.
 */
export function renderSchema(schema: unknown): Schema {
  if (!isRecord(schema)) return {};
  const merged = mergeAllOf(schema);
  // A reference must be the only keyword.
  if (typeof merged.$ref === 'string') return { $ref: definedIn(merged.$ref), ...definitionsIn(merged, renderSchema) };
  return withItems({
    ...typeOf(merged),
    ...plainFields(merged, PLAIN, FORMATS),
    ...choicesOf(merged),
    ...innerOf(merged),
    ...definitionsIn(merged, renderSchema),
  });
}

/** Adds a schema for the items of a list, which Gemini requires. */
function withItems(schema: Schema): Schema {
  const isList = [schema.type].flat().includes('array');
  return isList && !schema.items && !schema.prefixItems ? { ...schema, items: {} } : schema;
}

const PLAIN = ['description', 'minItems', 'maxItems', 'minimum', 'maximum', 'propertyOrdering'];
const FORMATS = new Set(['date-time', 'date', 'time', 'enum', 'int32', 'int64', 'float', 'double']);

/**
 * Returns the type. `nullable` is OpenAPI's keyword for `null` as another type. A constant that no `enum` supports
 * becomes its type.
 */
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

/** Returns the choices. An `enum` has numbers and non-empty texts. `oneOf` becomes `anyOf`. */
function choicesOf(schema: Schema): Schema {
  const { enum: given = 'const' in schema ? [schema.const] : [] } = schema;
  const values = listOf(given).filter(isChoice);
  const anyOf = [schema.anyOf, schema.oneOf].flatMap(listOf).map(renderSchema);
  return { ...(values.length ? { enum: values } : {}), ...(anyOf.length ? { anyOf } : {}) };
}

function isChoice(value: unknown): boolean {
  return typeof value === 'number' || (typeof value === 'string' && value !== '');
}

function innerOf({ properties, required, additionalProperties: more, items, prefixItems }: Schema): Schema {
  const inner: Schema = {};
  if (isRecord(properties)) inner.properties = mapValues(properties, renderSchema);
  const names = namesOf(required).filter((name) => !isRecord(properties) || Object.hasOwn(properties, name));
  if (names.length) inner.required = names;
  if (more !== undefined) inner.additionalProperties = isRecord(more) ? renderSchema(more) : more;
  if (isRecord(items)) inner.items = renderSchema(items);
  // Before 2020, `items` had a list of schemas.
  const tuple = Array.isArray(items) ? items : prefixItems;
  if (Array.isArray(tuple)) inner.prefixItems = tuple.map(renderSchema);
  return inner;
}

/** Merges `allOf` into one object with the properties of each. */
function mergeAllOf({ allOf, ...schema }: Schema): Schema {
  if (!Array.isArray(allOf)) return schema;
  const all = [...allOf.filter(isRecord).map(mergeAllOf), schema];
  const properties = Object.assign({}, ...all.map((each) => each.properties));
  const required = [...new Set(all.flatMap((each) => namesOf(each.required)))];
  return {
    ...Object.assign({}, ...all),
    ...(Object.keys(properties).length ? { properties } : {}),
    ...(required.length ? { required } : {}),
  };
}

function namesOf(value: unknown): string[] {
  return listOf(value).filter((name) => typeof name === 'string');
}
