import type { ResponseBase } from '../../http/response-base.ts';

/** What an operation is called in the document, at each of the two bases: the second one is for clients with one base URL. */
export function operationAt(base: ResponseBase, name: string, summary: string) {
  const isSecond = base === '/openai/v1';
  return {
    operationId: isSecond ? `${name}ForOpenai` : name,
    tags: ['Responses'],
    summary: isSecond ? `${summary} (OpenAI base URL)` : summary,
  };
}
