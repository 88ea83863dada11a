/** A schema of the OpenAPI document. `name` is the name of its component. */
export type Schema = {
  name?: string;
  type?: string | string[];
  description?: string;
  enum?: unknown[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  oneOf?: Schema[];
  anyOf?: Schema[];
  examples?: unknown[];
};
export type Field = { name: string; in?: string; description?: string; required?: boolean; schema: Schema };
type Refused = { value: { error: { code: string; message: string } } };
export type Content = Record<string, { schema: Schema; examples?: Record<string, Refused> }>;
export type Answer = { description: string; headers?: Record<string, Omit<Field, 'name'>>; content?: Content };
export type Operation = {
  method: string;
  path: string;
  isWebhook: boolean;
  operationId: string;
  tags: string[];
  summary: string;
  description?: string;
  security?: object[];
  parameters?: Field[];
  requestBody?: { content: Content };
  responses: Record<string, Answer>;
};
type Paths = Record<string, Record<string, Operation>>;
type OpenApi = {
  info: { title: string; version: string; description: string };
  tags: { name: string; description: string }[];
  components: { schemas: Record<string, Schema>; securitySchemes: { ApiKey: { description: string } } };
  paths: Paths;
  webhooks: Paths;
};

/** The OpenAPI document, with its operations by tag. Components replace the references to them. */
export type Description = ReturnType<typeof readDescription>;

export function readDescription(document: OpenApi) {
  const { info, tags, components, paths, webhooks } = document;
  for (const [name, schema] of Object.entries(components.schemas)) schema.name = name;
  replaceReferences(document, document);
  const operations = [...operationsOf(paths, false), ...operationsOf(webhooks, true)];
  return {
    ...{ info, key: components.securitySchemes.ApiKey.description },
    tags: tags.map((tag) => ({ ...tag, operations: operations.filter((one) => one.tags.includes(tag.name)) })),
  };
}

/** Returns the operations of paths. The address of a webhook on the page is the type of its event. */
function operationsOf(paths: Paths, isWebhook: boolean): Operation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...{ ...operation, method: method.toUpperCase(), path, isWebhook },
      operationId: isWebhook ? path : operation.operationId,
    })),
  );
}

function replaceReferences(node: object, document: object): void {
  for (const [key, value] of Object.entries(node)) {
    if (typeof value !== 'object' || value === null) continue;
    const target = targetOf(value, document);
    if (target === undefined) replaceReferences(value, document);
    else Reflect.set(node, key, target);
  }
}

/** Returns the component of a reference `#/components/…/Name`, or undefined if the value is not such a reference. */
function targetOf(value: object, document: object): unknown {
  if (!('$ref' in value) || typeof value.$ref !== 'string') return undefined;
  return value.$ref
    .split('/')
    .slice(1)
    .reduce<unknown>(
      (at, step) => (typeof at === 'object' && at !== null ? Reflect.get(at, step) : undefined),
      document,
    );
}

/** Returns the examples of a schema. An example of a list has one item. */
export function examplesOf({ examples, properties, oneOf, anyOf }: Schema): unknown[] {
  const [first] = oneOf ?? anyOf ?? [];
  if (examples) return examples;
  if (first) return examplesOf(first);
  const item = properties?.data?.items;
  if (!item) return [];
  return [{ object: 'list', data: examplesOf(item).slice(0, 1), has_more: false, next_cursor: null }];
}
