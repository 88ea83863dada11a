import { isRecord } from '../json.ts';
import { mendType, typeNamed, withFittingEnum, withNull } from './mend-type.ts';
import { mapParts, mapValues, recordOf, SAME_KEYWORDS, type Schema } from './parts.ts';
import { compilePattern, findFlaw } from './patterns.ts';
import { targetOf } from './pointer.ts';
import { translateSchema } from './translate-drafts.ts';

/** Mends the schema of arguments so that every validator of 2020-12 takes it. Valid schemas stay unchanged. */
export function mendSchema(given: unknown): Schema {
  const { nullable: _, ...own } = recordOf(given);
  const schema = mendObject(translateSchema(own));
  return withKnownRequired(
    withoutDeadReferences({ ...schema, ...(schema.type === 'object' ? {} : { type: 'object' }) }),
    [],
  );
}

function mendObject(given: Schema): Schema {
  const schema = withoutIds(given);
  const mended: Schema = {};
  for (const [keyword, value] of Object.entries(schema)) {
    const mend = MENDERS.get(keyword);
    const kept = mend ? mend(value) : value;
    if (kept !== undefined) mended[keyword] = kept;
  }
  return withFittingEnum(withNull(withRequired(mended, schema.properties)));
}

function withoutIds({ $id: _, id, $anchor: __, $dynamicAnchor: ___, $dynamicRef: ____, ...rest }: Schema): Schema {
  return typeof id === 'string' || id === undefined ? rest : { ...rest, id };
}

/** Mends a part, which may be any schema or the name of a type. */
function mendPart(part: unknown): Schema | boolean {
  if (typeof part === 'boolean') return part;
  const type = typeof part === 'string' ? typeNamed(part) : undefined;
  return type === undefined ? mendObject(recordOf(part)) : { type };
}

/**
 * Moves `required` of a property, as in draft 3, to the list of its object. The list omits names without a property.
 */
function withRequired(schema: Schema, given: unknown): Schema {
  const own = Object.entries(recordOf(given)).flatMap(([name, part]) =>
    isRecord(part) && part.required === true ? [name] : [],
  );
  const { required, ...rest } = schema;
  const listed = Array.isArray(required) ? required : [];
  const isKnown = (name: string) => !isRecord(rest.properties) || Object.hasOwn(rest.properties, name);
  const names = [...new Set([...listed, ...own])].filter(isKnown);
  if (Array.isArray(required) && names.length === required.length) return schema;
  return names.length > 0 ? { ...rest, required: names } : rest;
}

/** Leaves out references that lead to no part of the schema. */
export function withoutDeadReferences(root: Schema): Schema {
  const visit = (schema: Schema): Schema => {
    const inner = mapParts(schema, visit);
    if (inner.$ref === undefined || targetOf(inner.$ref, root)) return inner;
    const { $ref: _, ...rest } = inner;
    return rest;
  };
  return visit(root);
}

/** Keywords with schemas for the same value, so that the outer properties apply too. */
const SAME = new Set(Object.values(SAME_KEYWORDS).flat());

/** Leaves out required names that no schema of the same value has as a property. */
function withKnownRequired(schema: Schema, known: string[]): Schema {
  const names = [...known, ...Object.keys(recordOf(schema.properties))];
  const inner = mapParts(schema, (each, [keyword = '']) => withKnownRequired(each, SAME.has(keyword) ? names : []));
  if (!Array.isArray(inner.required)) return inner;
  const { required: _, ...rest } = inner;
  const kept = inner.required.filter((name) => names.includes(name));
  if (kept.length === inner.required.length) return inner;
  return kept.length > 0 ? { ...rest, required: kept } : rest;
}

type Mend = (value: unknown) => unknown;

const parts: Mend = (value) => (isRecord(value) ? mapValues(withoutReserved(value), mendPart) : undefined);
const list: Mend = (value) => (Array.isArray(value) && value.length > 0 ? value.map(mendPart) : undefined);
const part: Mend = (value) =>
  isRecord(value) || typeof value === 'boolean' || typeof value === 'string' ? mendPart(value) : undefined;
const text: Mend = (value) => (typeof value === 'string' ? value : undefined);
const flag: Mend = (value) => (typeof value === 'boolean' ? value : undefined);
const values: Mend = (value) => (Array.isArray(value) && value.length > 0 ? value : undefined);
const finite: Mend = (value) => (typeof value === 'number' && Number.isFinite(value) ? value : undefined);
const positive: Mend = (value) => (typeof value === 'number' && value > 0 ? value : undefined);
const count: Mend = (value) => (typeof value === 'number' && Number.isInteger(value) && value >= 0 ? value : undefined);
const pattern: Mend = (value) => (typeof value === 'string' && isReadable(value) ? value : undefined);
const patterns: Mend = (value) =>
  isRecord(value) ? parts(Object.fromEntries(Object.entries(value).filter(([key]) => isReadable(key)))) : undefined;

const names: Mend = (value) => {
  const listed = typeof value === 'string' ? [value] : value;
  return Array.isArray(listed) ? [...new Set(listed.filter((name) => typeof name === 'string'))] : undefined;
};
const namesByName: Mend = (value) =>
  isRecord(value)
    ? mapValues(Object.fromEntries(Object.entries(value).filter(([, each]) => Array.isArray(each))), names)
    : undefined;
const dependencies: Mend = (value) =>
  isRecord(value) ? mapValues(value, (each) => (Array.isArray(each) ? names(each) : mendPart(each))) : undefined;

function isReadable(source: string): boolean {
  return compilePattern(source) !== null || findFlaw(source) === null;
}

function withoutReserved(record: Schema): Schema {
  if (!Object.hasOwn(record, '__proto__')) return record;
  return Object.fromEntries(Object.entries(record).filter(([name]) => name !== '__proto__'));
}

/** The allowed value of each keyword of 2020-12. Other keywords are notes and stay. */
const MENDERS = new Map<string, Mend>([
  ...entries(['properties', '$defs', 'definitions', 'dependentSchemas'], parts),
  ...entries(['allOf', 'anyOf', 'oneOf', 'prefixItems'], list),
  ...entries(['items', 'contains', 'additionalProperties', 'propertyNames', 'not', 'if', 'then', 'else'], part),
  ...entries(['unevaluatedItems', 'unevaluatedProperties', 'contentSchema'], part),
  ...entries(['title', 'description', '$comment', 'format', '$ref', 'contentEncoding', 'contentMediaType'], text),
  ...entries(['deprecated', 'readOnly', 'writeOnly', 'uniqueItems'], flag),
  ...entries(['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'], count),
  ...entries(['minContains', 'maxContains'], count),
  ...entries(['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'], finite),
  ...entries(['enum', 'examples'], values),
  ...entries(['additionalItems', '$vocabulary', '$async', '$recursiveRef'], () => undefined),
  ['type', mendType],
  ['multipleOf', positive],
  ['pattern', pattern],
  ['patternProperties', patterns],
  ['required', names],
  ['dependentRequired', namesByName],
  ['dependencies', dependencies],
]);

function entries(keywords: string[], mend: Mend): [string, Mend][] {
  return keywords.map((keyword) => [keyword, mend]);
}
