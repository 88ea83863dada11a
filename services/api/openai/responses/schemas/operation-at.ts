import type { ResponseBase } from '../../../http/response-base.ts';

/** Names an operation in the API document. */
export function operation(name: string, summary: string, tag = 'Responses') {
  return { operationId: name, tags: [tag], summary };
}

/** Names an operation at one of the two bases. The second base is for clients with one base URL. */
export function operationAt(base: ResponseBase, name: string, summary: string) {
  if (base === '/v1') return operation(name, summary);
  return operation(`${name}ForOpenai`, `${summary} (OpenAI base URL)`);
}
