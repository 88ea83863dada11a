import { openaiMessage } from '../error-body.ts';
import type { Refusal } from '../reply.ts';

const TYPES: Record<number, string> = {
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  504: 'timeout_error',
  529: 'overloaded_error',
};

/** Returns an error in Anthropic's form. */
export function messageError(status: number, message: string) {
  const type = TYPES[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error');
  return { type: 'error', error: { type, message }, request_id: null };
}

/** Returns the body of a refusal in Anthropic's form. A body of the script stays unchanged. */
export function messageErrorOf({ status, body }: Refusal): unknown {
  const message = openaiMessage(body);
  return message === null ? body : messageError(status, message);
}
