import { isRecord } from '../../json.ts';

type Schema = Record<string, unknown>;

/**
 * Returns the first part of a schema that Chat Completions would refuse with `strict`, with advice, or null. A strict
 * schema has only closed objects that require all their properties.
 */
export function strictSchemaProblem(schema: Schema, path: string): { path: string; message: string } | null {
  const own = ownProblem(schema, path);
  if (own) return own;
  for (const [place, inner] of innerSchemas(schema, path)) {
    const problem = strictSchemaProblem(inner, place);
    if (problem) return problem;
  }
  return null;
}

/** Keywords that a strict schema must not contain anywhere. */
const UNKNOWN = [
  ...['allOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentRequired', 'dependentSchemas'],
  ...['patternProperties', 'propertyNames', 'unevaluatedProperties', 'unevaluatedItems', 'contains', 'prefixItems'],
];

function ownProblem(schema: Schema, path: string): { path: string; message: string } | null {
  const unknown = UNKNOWN.find((keyword) => keyword in schema);
  if (unknown)
    return {
      path: `${path}.${unknown}`,
      message: `A strict schema must not contain ${unknown}. Leave out ${unknown}, or leave out strict.`,
    };
  const { properties, required, additionalProperties } = schema;
  if (!isRecord(properties) && ![schema.type].flat().includes('object')) return null;
  if (additionalProperties !== false) {
    return {
      path,
      message: 'A strict schema must close every object. Add "additionalProperties": false here, or leave out strict.',
    };
  }
  const names = Object.keys(isRecord(properties) ? properties : {});
  const missing = names.find((name) => !(Array.isArray(required) && required.includes(name)));
  if (missing === undefined) return null;
  const message = `A strict schema must require all properties. Add ${JSON.stringify(missing)} to required here, or leave out strict.`;
  return { path, message };
}

function innerSchemas({ properties, items, anyOf, $defs, definitions }: Schema, path: string): [string, Schema][] {
  const maps = Object.entries({ properties, $defs, definitions }).flatMap(([keyword, map]) =>
    Object.entries(isRecord(map) ? map : {}).map(([name, inner]) => [`${path}.${keyword}.${name}`, inner]),
  );
  const choices = Array.isArray(anyOf) ? anyOf.map((inner, index) => [`${path}.anyOf[${index}]`, inner]) : [];
  return [...maps, [`${path}.items`, items], ...choices].filter((place): place is [string, Schema] =>
    isRecord(place[1]),
  );
}
