import { usageOfTurn } from '../reply.ts';
import { unixSeconds } from '../resource/unix-seconds.ts';
import { reportedTier } from '../responses/present.ts';
import { isTerminal, type Turn } from '../turn.ts';
import { completionIdOf } from './completion-id.ts';
import { completionFinish, completionMessage } from './completion-message.ts';

/**
 * Presents a turn as a chat completion. Times are Unix seconds. Until the end of the turn, `finish_reason` and
 * `usage` are null. A failed turn has no choice.
 */
export function presentCompletion(turn: Turn) {
  const choice = {
    index: 0 as const,
    message: completionMessage(turn),
    logprobs: null,
    finish_reason: completionFinish(turn),
  };
  return {
    ...completionHead(turn),
    object: 'chat.completion' as const,
    choices: turn.error === null ? [choice] : [],
    usage: isTerminal(turn.status) ? completionUsage(turn) : null,
    metadata: turn.metadata,
  };
}

/** Returns the fields that a completion and each of its chunks have. */
export function completionHead(turn: Turn) {
  return {
    id: completionIdOf(turn.id),
    created: unixSeconds(turn.createdAt),
    model: turn.config.response?.model ?? turn.config.model,
    service_tier: reportedTier(turn),
    system_fingerprint: null,
  };
}

/** Returns the sum of the tokens of all rounds. */
export function completionUsage(turn: Turn) {
  const sum = usageOfTurn(turn);
  return {
    prompt_tokens: sum.input_tokens,
    completion_tokens: sum.output_tokens,
    total_tokens: sum.total_tokens,
    prompt_tokens_details: {
      cached_tokens: sum.cached_input_tokens,
      cache_write_tokens: sum.cache_write_tokens,
      audio_tokens: 0,
    },
    completion_tokens_details: {
      reasoning_tokens: sum.reasoning_tokens,
      audio_tokens: 0,
      ...{ accepted_prediction_tokens: 0, rejected_prediction_tokens: 0 },
    },
  };
}
