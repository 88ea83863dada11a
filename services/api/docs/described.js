import { urlOf } from '../inspector/base/api.js';

/**
 * As much of an OpenAPI document as this page reads.
 * @typedef {{
 *   $ref?: string, type?: string | string[], description?: string, enum?: unknown[], properties?: Record<string, Schema>,
 *   required?: string[], items?: Schema, oneOf?: Schema[], anyOf?: Schema[], examples?: unknown[],
 * }} Schema
 * @typedef {{ name: string, in?: string, description?: string, required?: boolean, schema: Schema }} Field
 * @typedef {Record<string, { schema: Schema, examples?: Record<string, { $ref: string }> }>} Content
 * @typedef {{ $ref?: string, description: string, headers?: Record<string, Header>, content?: Content }} Answer
 * @typedef {Omit<Field, 'name'> & { $ref?: string }} Header
 * @typedef {{
 *   method: string, path: string, isWebhook: boolean, operationId: string, tags: string[], summary: string,
 *   description?: string, security?: object[], parameters?: Field[], requestBody?: { content: Content },
 *   responses: Record<string, Answer>,
 * }} Operation
 * @typedef {Record<string, Record<string, Operation>>} Paths
 * @typedef {{
 *   info: { title: string, version: string, description: string }, tags: { name: string, description: string }[],
 *   components: {
 *     schemas: Record<string, Schema>, securitySchemes: { ApiKey: { description: string } },
 *     examples: Record<string, { value: { error: { code: string, message: string } } }>,
 *     responses: Record<string, Answer>, headers: Record<string, Header>,
 *   },
 *   paths: Paths, webhooks: Paths,
 * }} Description
 */

/** @type {Description} */
export const api = await (await fetch(urlOf('openapi.json'))).json();

/**
 * Every operation, those of webhooks behind all others.
 * @returns {Operation[]}
 */
export function listOperations() {
  const listed = (/** @type {Paths} */ places, /** @type {boolean} */ isWebhook) =>
    Object.entries(places).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({
        ...{ ...operation, method: method.toUpperCase(), path, isWebhook },
        // The address of a webhook on the page is the type of its event.
        operationId: isWebhook ? path : operation.operationId,
      })),
    );
  return [...listed(api.paths, false), ...listed(api.webhooks, true)];
}

/**
 * The name at the end of a reference; null where there is none.
 * @param {{ $ref?: string }} schema
 */
export function nameOf({ $ref }) {
  return $ref?.split('/').at(-1) ?? null;
}

/**
 * A schema, or what it refers to.
 * @param {Schema} schema
 * @returns {Schema}
 */
export function resolve(schema) {
  const name = nameOf(schema);
  return name === null ? schema : (api.components.schemas[name] ?? {});
}

/**
 * Returns an answer or what it refers to, with its headers.
 * @param {Answer} given
 * @returns {Answer & { headers: Record<string, Header> }}
 */
export function resolveAnswer(given) {
  const answer = api.components.responses[nameOf(given) ?? ''] ?? given;
  const headers = Object.entries(answer.headers ?? {}).map(([name, header]) => [
    name,
    api.components.headers[nameOf(header) ?? ''] ?? header,
  ]);
  return { ...answer, headers: Object.fromEntries(headers) };
}

/**
 * What a schema shows as examples; for a list, one of its items.
 * @param {Schema} schema
 * @returns {unknown[]}
 */
export function examplesOf(schema) {
  const { examples, properties, oneOf, anyOf } = resolve(schema);
  const [first] = oneOf ?? anyOf ?? [];
  if (examples) return examples;
  if (first) return examplesOf(first);
  const item = properties?.data?.items;
  if (!item) return [];
  return [{ object: 'list', data: examplesOf(item).slice(0, 1), has_more: false, next_cursor: null }];
}
