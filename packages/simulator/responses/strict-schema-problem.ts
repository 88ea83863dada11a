type Schema = Record<string, unknown>;

/** Keywords that OpenAI allows nowhere in a strict schema. */
const REFUSED = [
  ...['allOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentRequired', 'dependentSchemas'],
  ...['patternProperties', 'propertyNames', 'unevaluatedProperties', 'unevaluatedItems', 'contains', 'prefixItems'],
];

/**
 * Describes the first part of a schema that breaks the rules of `strict`, or returns null. The schema must be an
 * object, and every object must be closed and require all its properties.
 */
export function strictSchemaProblem(schema: Schema): string | null {
  if (schema.type !== 'object' || 'anyOf' in schema) return 'In context=(), the schema must have \'type\' "object".';
  return problemIn(schema, []);
}

function problemIn(schema: Schema, context: string[]): string | null {
  const own = ownProblem(schema);
  if (own) return `In context=(${context.map((key) => `'${key}'`).join(', ')}), ${own}.`;
  for (const keyword of ['properties', '$defs', 'definitions', 'anyOf']) {
    for (const [key, inner] of entriesOf(schema[keyword])) {
      const problem = isSchema(inner) ? problemIn(inner, [...context, keyword, key]) : null;
      if (problem) return problem;
    }
  }
  return isSchema(schema.items) ? problemIn(schema.items, [...context, 'items']) : null;
}

function ownProblem(schema: Schema): string | null {
  const refused = REFUSED.find((keyword) => keyword in schema);
  if (refused) return `'${refused}' is not permitted`;
  if (!schema.properties && ![schema.type].flat().includes('object')) return null;
  if (schema.additionalProperties !== false) return "'additionalProperties' must be false";
  const required = [schema.required].flat();
  const missing = entriesOf(schema.properties).find(([name]) => !required.includes(name));
  return missing ? `'required' must list every property, but it lacks '${missing[0]}'` : null;
}

function entriesOf(value: unknown): [string, unknown][] {
  return Object.entries(Object(value ?? {}));
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null;
}
