import type { ToolErrorCategory } from '../../turn/tool-result.ts';
import type { AttemptFailure } from '../run/attempt.ts';

type StatusFailure = Pick<AttemptFailure, 'category' | 'certainty'>;

const CATEGORIES: Record<number, ToolErrorCategory> = {
  400: 'invalid_arguments',
  401: 'authentication_failed',
  403: 'permission_denied',
  404: 'resource_not_found',
  408: 'execution_timeout',
  422: 'invalid_arguments',
  429: 'rate_limited',
  502: 'network_error',
  503: 'network_error',
  504: 'network_error',
};

/** Returns the failure for a status, or null for a 2xx. After a 504 it is unknown whether the tool ran. */
export function failureOfStatus(status: number): StatusFailure | null {
  if (status >= 200 && status < 300) return null;
  if (status === 504) return { category: categoryOf(status), certainty: 'lost' };
  return { category: categoryOf(status), certainty: status >= 500 ? 'broke' : 'answered' };
}

function categoryOf(status: number): ToolErrorCategory {
  if (status >= 300 && status < 400) return 'permission_denied';
  return CATEGORIES[status] ?? 'unknown';
}
