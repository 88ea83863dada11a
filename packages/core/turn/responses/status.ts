import { TERMINAL_STATUSES, type Turn, type TurnError } from '../turn.ts';

export const RESPONSE_STATUSES = ['queued', 'in_progress', ...TERMINAL_STATUSES] as const;
export type ResponseStatus = (typeof RESPONSE_STATUSES)[number];

/**
 * Returns a turn's status as its response has it. A response in the foreground is never queued, and a refusal counts
 * as an answer.
 */
export function responseStatus(turn: Turn): ResponseStatus {
  switch (turn.status) {
    case 'queued':
      return turn.config.response?.background === false ? 'in_progress' : 'queued';
    case 'requires_action':
      return 'in_progress';
    case 'incomplete':
      return isRefused(turn) ? 'completed' : 'incomplete';
    case 'in_progress':
    case 'completed':
    case 'failed':
    case 'cancelled':
      return turn.status;
  }
}

/** Returns whether a turn ended because the model refused. */
export function isRefused({ status, incompleteReason, rounds }: Turn): boolean {
  return status === 'incomplete' && incompleteReason === 'content_filter' && rounds.at(-1)?.finishReason === 'refusal';
}

/** Returns the error of a failed turn in OpenAI's words. `type` is the turn's own code. */
export function responseError({ code, message }: TurnError) {
  return { code: OPENAI_CODES[code] ?? 'server_error', type: code, message };
}

const OPENAI_CODES: Partial<Record<string, 'rate_limit_exceeded' | 'invalid_prompt'>> = {
  provider_rate_limited: 'rate_limit_exceeded',
  quota_exceeded: 'rate_limit_exceeded',
  provider_invalid_request: 'invalid_prompt',
  context_length_exceeded: 'invalid_prompt',
};
