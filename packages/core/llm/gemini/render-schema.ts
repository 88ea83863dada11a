import { isRecord } from '../../json.ts';
import { mendSchema, withoutDeadReferences } from '../../json-schema/mend-schema.ts';
import { listOf, mapValues, type Schema } from '../../json-schema/parts.ts';
import { definedIn, definitionsIn, plainFields } from '../wire-tools/definitions.ts';
import { flattenTop } from '../wire-tools/flatten-top.ts';
import { rememberSchemas } from '../wire-tools/remember-schemas.ts';

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
  if (!isRecord(schema)) return {};
  const merged = mergeAllOf(schema);
  // Beside a reference nothing else may stand.
  if (typeof merged.$ref === 'string') return { $ref: definedIn(merged.$ref), ...definitionsIn(merged, renderSchema) };
  return withItems({
    ...typeOf(merged),
    ...plainFields(merged, PLAIN, FORMATS),
    ...choicesOf(merged),
    ...innerOf(merged),
    ...definitionsIn(merged, renderSchema),
  });
}

/** Gemini refuses a list without a schema for its items. */
function withItems(schema: Schema): Schema {
  const isList = [schema.type].flat().includes('array');
  return isList && !schema.items && !schema.prefixItems ? { ...schema, items: {} } : schema;
}

const PLAIN = ['description', 'minItems', 'maxItems', 'minimum', 'maximum', 'propertyOrdering'];
const FORMATS = new Set(['date-time', 'date', 'time', 'enum', 'int32', 'int64', 'float', 'double']);

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
  // Before 2020 a list of item schemas was written like this.
  const tuple = Array.isArray(items) ? items : prefixItems;
  if (Array.isArray(tuple)) inner.prefixItems = tuple.map(renderSchema);
  return inner;
}

/** All of several objects is one object with the properties of each. */
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
