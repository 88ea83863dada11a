import type { ProviderFailed } from '../../failure.ts';
import type { FinishReason } from '../../turn/reply.ts';
import { nameFailure } from '../errors/name-failure.ts';

/** The meaning of a server's word: a stop reason, or a failure after which a retry may help. */
type Meaning = FinishReason | 'failed' | 'overloaded';

/** The operator's words in lower case, `PAWL_PROVIDERS.<name>.finish_reasons`. */
export type OwnWords = ReadonlyMap<string, FinishReason>;

/** The context of a reply: its provider, the names of its tools, and the operator's words for stop reasons. */
export type Answering = { provider: string; toolNames?: Iterable<string>; ownWords?: OwnWords | undefined };

/** The servers' words for stop reasons, for all wires. Comments name servers that are not obvious. */
const WORDS: [meaning: Meaning, words: string][] = [
  ['stop', 'stop end_turn stop_sequence complete completed eos eos_token endoftext normal end stop_token'],
  ['stop', 'unexpected_tool_call'],
  ['tool_calls', 'tool_calls tool_call tool_use function_call'],
  ['length', 'length max_tokens max_output_tokens max_length model_length token_limit continuation time_limit'],
  ['length', 'model_context_window_exceeded context_window_exceeded pause_turn'],
  // Text Generation Inference, Cohere.
  ['length', 'max_new_tokens context_length_exceeded length_exceeded error_limit'],
  [
    'content_filter',
    'content_filter content_filtered guardrail_intervened safety recitation language blocklist blacklist',
  ],
  ['content_filter', 'prohibited_content spii model_armor image_safety image_prohibited_content image_recitation'],
  // Z.ai, Cohere.
  ['content_filter', 'sensitive error_toxic content_policy_violation moderation'],
  ['refusal', 'refusal'],
  // vLLM and SGLang abort. Z.ai's network fails. watsonx and Cohere cancel. Bedrock and Gemini report a malformed
  // call.
  ['failed', 'error abort aborted network_error cancelled canceled user_cancel timeout'],
  ['failed', 'failed server_error internal_error upstream_error'],
  ['failed', 'malformed_function_call malformed_response malformed_model_output malformed_tool_use'],
  // DeepSeek.
  ['overloaded', 'insufficient_system_resource'],
];

const MEANINGS = new Map(WORDS.flatMap(([meaning, words]) => words.split(' ').map((word) => [word, meaning] as const)));

/** Words for no reason. Some servers write null as a text, watsonx that it has not finished, Gemini a zero value. */
const UNSAID = /^\s*(null|none|undefined|not_finished|(finish_?reason[._])*(finish_reason_)?unspecified|0)?\s*$/i;

export function isReason(word: string | null | undefined): word is string {
  return typeof word === 'string' && word.length < LONGEST_UNSAID ? !UNSAID.test(word) : Boolean(word);
}

const LONGEST_UNSAID = 50;

/** Returns the word that counts. A later `stop` of a gateway does not replace a word for a broken reply. */
export function laterReason(before: string | null, word: string | null | undefined): string | null {
  if (!isReason(word)) return before;
  return before !== null && SUCCESSES.has(meaningOf(word)) && !SUCCESSES.has(meaningOf(before)) ? before : word;
}

const SUCCESSES: ReadonlySet<Meaning> = new Set(['stop', 'tool_calls', 'other']);

/** The content of a reply that affects its finish reason. */
export type Seen = { calls: boolean; refused?: boolean };

/**
 * Returns the finish reason, checked against the content of the reply. An unknown word is `other`, which is not a
 * success. A word for a failure is a `ProviderFailed`.
 */
export function finishReasonOf(
  raw: string,
  { calls, refused = false }: Seen,
  { provider, own }: { provider: string; own?: OwnWords | undefined },
): FinishReason {
  const meaning = own?.get(raw.trim().toLowerCase()) ?? meaningOf(raw);
  if (meaning === 'failed' || meaning === 'overloaded') throw failure(meaning, provider, raw);
  if (meaning !== 'stop' && meaning !== 'tool_calls') return meaning;
  if (refused) return 'refusal';
  // Some servers send `stop` with calls, some `tool_calls` with plain text.
  return calls ? 'tool_calls' : 'stop';
}

/**
 * Returns the meaning of a word. Gemini's endpoint for OpenAI's wire joins two words: `content_filter: RECITATION`.
 * The second is more precise.
 */
function meaningOf(raw: string): Meaning {
  const known = MEANINGS.get(raw);
  if (known) return known;
  const [first = '', second = ''] = raw.split(':', 2).map(plainWord);
  return MEANINGS.get(second) ?? MEANINGS.get(first) ?? 'other';
}

/**
 * Returns a word in lower case. Some SDKs write `endTurn`, `ContentFilter`, `FinishReason.STOP` or
 * `FINISH_REASON_STOP`.
 */
function plainWord(word: string): string {
  const split = word.trim().replaceAll(/([a-z])([A-Z])/g, '$1_$2');
  return split
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '_')
    .replace(/^(finish_reason[._])+/, '');
}

function failure(meaning: 'failed' | 'overloaded', provider: string, raw: string): ProviderFailed {
  const code = meaning === 'failed' ? 'provider_bad_response' : 'provider_overloaded';
  return nameFailure(code, { provider, reason: `it stopped with "${raw.slice(0, 100)}"` });
}
