import { mayTeach, type Refused } from './ask-again.ts';

/**
 * How the state of a model's thoughts (signatures, thinking blocks, reasoning) goes back with the history. Another model
 * may have made it: a provider can serve several models.
 */
export type ThoughtState = {
  /** Whether the state goes back as it came. */
  isKept: boolean;
  /** Whether a round with calls gets an empty state if it has none. */
  isFilled: boolean;
};

/** Thought state goes back as it came, and only then. */
export const AS_IT_CAME: ThoughtState = { isKept: true, isFilled: false };

/** Returns how to send the state after a refusal. Null if the refusal is about anything else, or nothing is left to try. */
export function nextThoughtState<State extends ThoughtState>(refused: Refused, state: State): State | null {
  if (!mayTeach(refused) || !NAMED.test(refused.text)) return null;
  const { text } = refused;
  const isUnsigned = UNSIGNED.test(text);
  if (MISSING.test(text) && !isUnsigned && !state.isFilled) return { ...state, isFilled: true };
  const isRefused = isUnsigned || MISSING.test(text) || WRONG.test(text);
  return isRefused && state.isKept ? { ...state, isKept: false } : null;
}

/** Names state that a model or its server left with a reply. */
const NAMED =
  /thought.?signature|thinking_blocks|redacted_thinking|\bthinking\b.{0,40}(\bblock|signature)|signature.{0,40}\bthinking\b|content\[\]\W+thinking|reasoning_(content|details)|extra_content|provider_specific_fields|encrypted_content/i;

/** The history has no state where the server requires it. */
const MISSING = /\bmissing\b|\brequired?\b|passed back|must start with|must be (passed|provided|included|present)/i;

/** The history has a thought without its signature. */
const UNSIGNED = /thinking\W+signature\W+(is |field )?(required|missing)/i;

const WRONG =
  /invalid|corrupt|not (be )?(a )?valid|cannot be modified|mismatch|(not|n't) (match|belong|verif)|(not|fail\w*( to)?|unable to|(not|n't) be) (be )?(verif|decrypt|decod|pars)\w*|expired|malformed|must match|must remain/i;
