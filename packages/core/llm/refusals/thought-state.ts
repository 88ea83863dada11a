import { mayTeach, type Refused } from './ask-again.ts';

/** How the state of thoughts is sent with the history. Another model of the provider may have made it. */
export type ThoughtState = {
  /** Whether the state is sent back unchanged. */
  isKept: boolean;
  /** Whether a round with calls gets an empty state if it has none. */
  isFilled: boolean;
};

/** Existing thought state is sent back unchanged, and none is added. */
export const AS_IT_CAME: ThoughtState = { isKept: true, isFilled: false };

/** Returns whether a refusal is certainly about state. */
export function losesState({ text }: Refused): boolean {
  return GONE.test(text);
}

/** Returns how to send the state after a refusal. Null if the refusal has another cause or no form is left to try. */
export function nextThoughtState<State extends ThoughtState>(refused: Refused, state: State): State | null {
  if (!mayTeach(refused)) return null;
  const { text } = refused;
  if (GONE.test(text)) return state.isKept ? { ...state, isKept: false } : null;
  if (!NAMED.test(text)) return null;
  const isUnsigned = UNSIGNED.test(text);
  if (MISSING.test(text) && !isUnsigned && !state.isFilled) return { ...state, isFilled: true };
  const isRefused = isUnsigned || MISSING.test(text) || WRONG.test(text);
  return isRefused && state.isKept ? { ...state, isKept: false } : null;
}

/**
 * The server lost its own state, cannot read it, requires its items, or now has a model that does not accept it:
 * OpenAI · Anthropic's containers for code.
 */
const GONE =
  /invalid_encrypted_content|\bencrypted.content\b.{0,300}\b(could|can) ?not be (verif|decrypt|pars)|\bencrypted.content\b.{0,40} (is )?(not valid|invalid)\b|(could not|cannot|unable to|failed to) (decrypt|verify) .{0,20}reasoning|\bitem\b.{0,20}\W(rs|msg|fc|ws|ci|fs|ig)_\w+.{0,10} not found|\bitem with id\b.{0,120} not found|\bprovided without its required\b|\breasoning (input )?items? (can only be|(is|are) not supported)\b|\bduplicate item found\b|\bno tool output found for (custom|mcp|computer|shell|local|apply)|\bcontainer (with id )?\W?cntr\w*.{0,40}(expired|not found|no longer)|\bcontainer\b.{0,20}\b(has |is )?(expired|no longer active)/i;

/** Names state that a model or its server returned with a reply. */
const NAMED =
  /thought.?signature|thinking_blocks|redacted_thinking|\bthinking\b.{0,40}(\bblock|signature)|signature.{0,40}\bthinking\b|content\[\]\W+thinking|reasoning_(content|details)|extra_content|provider_specific_fields|encrypted_content/i;

/** The history lacks state that the server requires. */
const MISSING = /\bmissing\b|\brequired?\b|passed back|must start with|must be (passed|provided|included|present)/i;

/** The history has a thought without its signature. */
const UNSIGNED = /thinking\W+signature\W+(is |field )?(required|missing)/i;

const WRONG =
  /invalid|corrupt|not (be )?(a )?valid|cannot be modified|mismatch|(not|n't) (match|belong|verif)|(not|fail\w*( to)?|unable to|(not|n't) be) (be )?(verif|decrypt|decod|pars)\w*|expired|malformed|must match|must remain/i;
