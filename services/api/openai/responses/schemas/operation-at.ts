import type { ResponseBase } from '../../../http/response-base.ts';

/** What an operation is called in the document, at each of the two bases: the second one is for clients with one base URL. */
export function operationAt(base: ResponseBase, name: string, summary: string) {
  return operationOf('Responses', base, { name, summary });
}

/** The same for an operation of chat completions. */
export function completionOperationAt(base: ResponseBase, name: string, summary: string) {
  return operationOf('Chat Completions', base, { name, summary });
}

function operationOf(tag: string, base: ResponseBase, { name, summary }: { name: string; summary: string }) {
  const isSecond = base === '/openai/v1';
  return {
    operationId: isSecond ? `${name}ForOpenai` : name,
    tags: [tag],
    summary: isSecond ? `${summary} (OpenAI base URL)` : summary,
  };
}
