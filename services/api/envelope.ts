import type { RequestRefused } from '#core/failure.ts';
import { errorTypes } from './error-types.ts';

/** The body of every answer that is an error (contract: Errors). */
export function envelope({
  status,
  code,
  message,
  param,
}: Pick<RequestRefused, 'status' | 'code' | 'message' | 'param'>) {
  return { error: { type: errorTypes[status], code, message, param } };
}
