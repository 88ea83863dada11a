/** The keywords of a schema in the OpenAPI document that decide about its type. */
export type Schema = {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: Schema | boolean;
  items?: Schema;
  description?: string;
  examples?: unknown[];
};

/** The keywords that decide about a type, in the order of their rank, and the keywords that each takes beside it. */
const FORMS: Record<string, string[]> = {
  $ref: [],
  enum: ['type'],
  anyOf: [],
  oneOf: [],
  type: ['properties', 'required', 'additionalProperties', 'items'],
};

/** The keywords that describe or restrict values, and change no type. */
const RESTRICTIONS = [
  ...['description', 'examples', 'default', 'discriminator', 'format', 'pattern', 'propertyNames'],
  ...['minLength', 'maxLength', 'minimum', 'maximum', 'exclusiveMinimum', 'minItems', 'maxItems', 'maxProperties'],
];

/** Takes the name of a schema that another schema uses. */
type Use = (name: string) => void;

/** Prints the types of the named schemas, and of all schemas that they use. */
export function printTypes(schemas: Record<string, Schema>, names: readonly string[]): string {
  const found = new Set(names);
  const types: string[] = [];
  // The set grows while the loop runs.
  for (const name of found) {
    const schema = schemas[name];
    if (!schema) throw new Error(`The OpenAPI document has no schema ${name}. Correct the list of names.`);
    types.push(`${commentOf(schema)}export type ${name} = ${typeOf(schema, (used) => found.add(used))};`);
  }
  return types.join('\n\n');
}

function typeOf(schema: Schema, use: Use): string {
  refuseOthers(schema);
  const { $ref, enum: values, anyOf, oneOf = anyOf, type } = schema;
  if ($ref) return nameOf($ref, use);
  if (values) return values.map((value) => JSON.stringify(value)).join(' | ');
  if (oneOf) return oneOf.map((member) => typeOf(member, use)).join(' | ');
  const types = [type ?? []].flat();
  return types.map((one) => simpleType(one, schema, use)).join(' | ') || 'unknown';
}

/** Throws if a schema has a keyword that its type would ignore. */
function refuseOthers(schema: Schema): void {
  const [form = '', beside = []] = Object.entries(FORMS).find(([name]) => name in schema) ?? [];
  const known = [form, ...beside, ...RESTRICTIONS];
  const others = Object.keys(schema).filter((keyword) => !known.includes(keyword));
  if (others.length === 0) return;
  const place = form && ` beside ${form}`;
  throw new Error(`The build has no type for a schema with ${others.join(', ')}${place}. Add it to typeOf.`);
}

function nameOf($ref: string, use: Use): string {
  const name = $ref.slice($ref.lastIndexOf('/') + 1);
  use(name);
  return name;
}

function simpleType(type: string, { properties, required, additionalProperties, items }: Schema, use: Use): string {
  if (type === 'array') return `Array<${typeOf(items ?? {}, use)}>`;
  if (type !== 'object') return type === 'integer' ? 'number' : type;
  if (!properties) {
    const values = typeof additionalProperties === 'object' ? additionalProperties : {};
    return `Record<string, ${typeOf(values, use)}>`;
  }
  const fields = Object.entries(properties).map(([name, schema]) => {
    const [mark, or] = required?.includes(name) ? ['', ''] : ['?', ' | undefined'];
    return `${commentOf(schema)}${name}${mark}: ${typeOf(schema, use)}${or};`;
  });
  // TypeScript requires that the type of other fields fits the named fields too. Only `unknown` always does.
  if (additionalProperties) fields.push('[name: string]: unknown;');
  return `{\n${fields.join('\n')}\n}`;
}

function commentOf({ description }: Schema): string {
  return description ? `/** ${description.replaceAll('*/', '*\\/')} */\n` : '';
}
