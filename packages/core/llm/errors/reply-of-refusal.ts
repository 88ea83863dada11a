import type { FinishReason, Reply } from '../../turn/reply.ts';
import type { Refusal } from '../http/open-reply.ts';
import { mayPass } from './code-of-status.ts';
import { readRefusal, type SaidError } from './read-error.ts';

/** Why a reply ended that a server reports as an error. */
export type Ending = { finishReason: Extract<FinishReason, 'length' | 'content_filter'>; raw: string };

/** Returns the empty reply of a refusal after a limit of tokens or a filter, or null for other refusals. */
export function replyOfRefusal(refusal: Pick<Refusal, 'status' | 'text'>): Reply | null {
  const ending = endingOf(readRefusal(refusal));
  return ending && replyOf(ending);
}

export function replyOf({ finishReason, raw }: Ending): Reply {
  return { text: null, calls: [], finishReason, finishReasonRaw: raw.slice(0, 100), usage: null, opaque: null };
}

/** Returns the ending of the reply that a server reports as an error, or null for any other error. */
export function endingOf({ status, codes, message }: SaidError): Ending | null {
  if (!mayBeAnswer(status)) return null;
  const text = (message ?? '').slice(0, LONGEST);
  const close = codes.find((code) => !VAGUE.test(code));
  if (CUT.test(text)) return { finishReason: 'length', raw: close ?? 'max_tokens' };
  const isFiltered = codes.some((code) => FILTER_CODES.test(code)) || FILTERED.test(text);
  return isFiltered ? { finishReason: 'content_filter', raw: close ?? 'content_filter' } : null;
}

const VAGUE = /invalid_?request|bad_?request|api_error/i;

const LONGEST = 4000;

function mayBeAnswer(status: number | null): boolean {
  // With a 424, a gateway reports that the other server, or its own guard, ended the reply.
  if (status === null || status === 500 || status === 424) return true;
  return status >= 400 && status < 500 && ![401, 402, 404].includes(status) && !mayPass(status);
}

/** OpenAI · Groq. */
const CUT =
  /could not finish the message because|(max_\w*tokens|max(imum)? (completion|output) tokens|output (token )?limit)( (limit|was|were|has been|or model output limit was))? reached/i;

/**
 * Azure, Moonshot, OpenAI's Responses · Azure · OpenAI · DashScope · Volcengine · StepFun · Baidu · new-api · Zhipu.
 */
const FILTER_CODES =
  /^(content_filter|content_policy_violation|(image_content|misalignment|bio|cyber)_policy(_violation)?|ResponsibleAIPolicyViolation|ContentPolicyViolationError|moderation_blocked|data_?inspection_?failed|(\w+\.)?(\w*SensitiveContentDetected|\w*RiskDetection)(\.\w+)?|censorship_blocked|unsafe_request|prompt_unsafe|sensitive_words_detected|prompt_blocked|guardrail_violation|hooks_failed|1301)$/i;

/**
 * Anthropic · DeepSeek · DashScope · Moonshot · OpenAI, OpenRouter · xAI · LiteLLM, Portkey, Cloudflare · Zhipu,
 * Tencent · Spark · MiniMax.
 */
const FILTERED =
  /blocked by (our |the )?content (filter|polic)|content exists risk|inappropriate content|considered high risk|(input|prompt|request|content) was flagged|(result of|by) our safety system|violates? (our |the )?(usage|content) (guidelines|polic)|violat\w+ .{0,20}guardrail|guardrail\w* .{0,60}(blocked|failed|intervened)|(prompt|response) (was )?blocked due to|content management policy|(敏感|不安全|违规)(或敏感)?(的)?内容|内容.{0,6}(敏感|违规)|审核(不|未)通过.{0,4}涉嫌违规|\b(input|output) new_sensitive\b/i;
