import { makeDescribedApp, readDocument } from '#build/read-document.ts';

/** A schema, or another part of the document that contains schemas. */
export type Schema = { [key: string]: unknown; properties?: Record<string, Schema>; examples?: unknown[] };

type Content = Record<string, { schema: Schema; examples?: Record<string, { $ref: string }> }>;
type Header = { description?: string; schema: Schema; required?: boolean };
type Parameter = Header & { name: string; in: string };

export type ResponseObject = { description: string; headers?: Record<string, Header>; content?: Content };

export type Operation = {
  method: string;
  path: string;
  operationId: string;
  tags: string[];
  summary: string;
  description?: string;
  security?: object[];
  parameters?: Parameter[];
  requestBody?: { required: boolean; content: Content };
  responses: Record<string, ResponseObject>;
};

export type Document = {
  openapi: string;
  info: { title: string; version: string };
  tags: { name: string; description: string }[];
  servers: { url: string }[];
  security: object[];
  components: Record<'schemas' | 'examples' | 'securitySchemes', Record<string, Schema>> & {
    responses: Record<string, ResponseObject>;
    headers: Record<string, Header>;
  };
  paths: Record<string, Record<string, Omit<Operation, 'method' | 'path'>>>;
  webhooks: Record<string, { post: Omit<Operation, 'method' | 'path'> }>;
};

const app = makeDescribedApp();

export const document = await readDocument<Document>(app);

export const operations: Operation[] = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    ...{ method: method.toUpperCase(), path, ...operation },
    responses: mapValues(operation.responses, resolveResponse),
  })),
);

function resolveResponse(response: ResponseObject): ResponseObject {
  const resolved = referred(response, document.components.responses);
  const headers = mapValues(resolved.headers ?? {}, (header) => referred(header, document.components.headers));
  return { ...resolved, ...(resolved.headers && { headers }) };
}

/** Returns the part of the document that a reference names, or the part itself. */
function referred<Part extends object>(part: Part, named: Record<string, Part>): Part {
  return '$ref' in part ? named[String(part.$ref).split('/').at(-1)!]! : part;
}

function mapValues<Value>(record: Record<string, Value>, change: (value: Value) => Value): Record<string, Value> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));
}

/** Returns the path of a response in the document as a list of keys. */
export function placeOfResponse({ path, method }: Pick<Operation, 'path' | 'method'>, status: string): string[] {
  const response: object = document.paths[path]![method.toLowerCase()]!.responses[status]!;
  if ('$ref' in response) return String(response.$ref).split('/').slice(1);
  return ['paths', path, method.toLowerCase(), 'responses', status];
}

/** The routes of the app, such as `GET /v1/turns/{id}`. Middlewares apply to all methods. */
export const registered = app.routes
  .filter(({ method }) => method !== 'ALL')
  .map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`);
