import { openaiMessage } from '../error-body.ts';
import type { Refusal } from '../reply.ts';

const STATUSES: Record<number, string> = {
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
};

/** Returns an error in Gemini's form. */
export function contentError(code: number, message: string) {
  const status = STATUSES[code] ?? (code < 500 ? 'INVALID_ARGUMENT' : 'INTERNAL');
  return { error: { code, message, status } };
}

/** Returns the body of a refusal in Gemini's form. A body of the script stays unchanged. */
export function contentErrorOf({ status, body }: Refusal): unknown {
  const message = openaiMessage(body);
  return message === null ? body : contentError(status, message);
}
