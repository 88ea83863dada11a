import { isRecord } from '../../json.ts';
import { listOf, recordOf, type Schema } from '../../json-schema/parts.ts';
import { targetOf } from '../../json-schema/pointer.ts';

/** The schema of a value, the whole schema, and the new names of properties. */
export type Renaming = { schema: Schema; root: Schema; names: ReadonlyMap<string, string> };

/** Renames keys that a schema declares as properties. Free data stays. Returns the same value if it has no such key. */
export function renameKeys(value: unknown, { schema, root, names }: Renaming): unknown {
  const places = new Map<Schema, Place>();
  const placeOf = (at: Schema): Place => {
    const known = places.get(at) ?? describePlace(at, root);
    places.set(at, known);
    return known;
  };
  const visit = (inner: unknown, at: Schema | undefined): unknown => {
    if (at === undefined || typeof inner !== 'object' || inner === null) return inner;
    const place = placeOf(at);
    return Array.isArray(inner)
      ? sameOr(
          inner,
          inner.map((item, index) => visit(item, place.tuple[index] ?? place.items)),
        )
      : visitObject({ ...inner }, inner, place);
  };
  const visitObject = (entries: Schema, given: object, { properties, others }: Place): unknown => {
    let isSame = true;
    const renamed = Object.entries(entries).map(([key, inner]) => {
      const part = properties.get(key);
      const name = part === undefined ? key : (names.get(key) ?? key);
      const visited = visit(inner, part ?? others);
      isSame &&= name === key && visited === inner;
      return [name, visited] as const;
    });
    return isSame ? given : Object.fromEntries(renamed);
  };
  return visit(value, schema);
}

function sameOr(list: unknown[], renamed: unknown[]): unknown[] {
  return renamed.every((item, index) => item === list[index]) ? list : renamed;
}

/** The schemas of the parts of a value, from all schemas that describe the value. */
type Place = {
  properties: Map<string, Schema>;
  others: Schema | undefined;
  tuple: Schema[];
  items: Schema | undefined;
};

function describePlace(schema: Schema, root: Schema): Place {
  const all = alternatives(schema, root);
  const properties = new Map<string, Schema[]>();
  for (const each of all) {
    for (const [name, part] of Object.entries(recordOf(each.properties)))
      properties.set(name, [...(properties.get(name) ?? []), recordOf(part)]);
  }
  const others = all.flatMap((each) => [
    ...Object.values(recordOf(each.patternProperties)),
    ...[each.additionalProperties, each.unevaluatedProperties],
  ]);
  const items = all.flatMap((each) => [
    ...[Array.isArray(each.items) ? undefined : each.items],
    ...[each.additionalItems, each.unevaluatedItems, each.contains],
  ]);
  const tuples = all.flatMap((each) => [listOf(each.prefixItems), listOf(each.items)]);
  const longest = Math.max(0, ...tuples.map(({ length }) => length));
  return {
    properties: new Map([...properties].map(([name, parts]) => [name, anyOf(parts) ?? {}])),
    others: anyOf(others),
    tuple: Array.from({ length: longest }, (_, at) => anyOf([...tuples.map((tuple) => tuple[at]), ...items]) ?? {}),
    items: anyOf(items),
  };
}

function anyOf(schemas: unknown[]): Schema | undefined {
  const [first, ...more] = schemas.filter(isRecord);
  return more.length > 0 ? { anyOf: [first, ...more] } : first;
}

/** Returns all schemas that may describe the same value. */
function alternatives(schema: Schema, root: Schema): Schema[] {
  const seen = new Set([schema]);
  for (const { allOf, anyOf: any, oneOf, $ref, ...each } of seen) {
    const next = [
      ...[...listOf(allOf), ...listOf(any), ...listOf(oneOf)],
      ...[targetOf($ref, root), each.if, each.then, each.else],
      ...[...Object.values(recordOf(each.dependentSchemas)), ...Object.values(recordOf(each.dependencies))],
    ];
    for (const other of next) if (isRecord(other)) seen.add(other);
  }
  return [...seen];
}
