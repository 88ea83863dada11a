import { REPLY_BOUNDS } from '../../bounds/reply-bounds.ts';
import { cleanText } from '../../text.ts';
import type { RequestedCall } from '../../turn/message.ts';
import type { FinishReason, Reply, Usage } from '../../turn/reply.ts';
import { nameFailure } from '../errors/name-failure.ts';
import type { Delta } from '../provider.ts';
import { boundReply } from '../unusable-reply.ts';
import { Chunk, type Part, type WireUsage } from './chunk.ts';
import { type CallAccumulator, gatherCall } from './gather-calls.ts';
import { type KeptPart, opaqueOf } from './opaque.ts';

/** A reply while its chunks arrive. */
export type ReplyAccumulator = {
  provider: string;
  text: string;
  calls: CallAccumulator[];
  kept: KeptPart[];
  finishReasonRaw: string | null;
  /** Why the prompt itself was refused, in Gemini's word. */
  blockReason: string | null;
  usage: Usage | null;
};

/** An empty reply to gather chunks in; `provider` stands in the failures it may throw. */
export function startReply(provider: string): ReplyAccumulator {
  return { provider, text: '', calls: [], kept: [], finishReasonRaw: null, blockReason: null, usage: null };
}

/** Adds one chunk and answers what is new in it. What is no chunk fails as `provider_bad_response`. */
export function takeChunk(reply: ReplyAccumulator, raw: unknown): Delta[] {
  const { success, data: chunk } = Chunk.safeParse(raw);
  if (!success) throw unusable(reply, 'not a generateContent chunk');

  // Counts grow from chunk to chunk; some chunks carry only what kind of traffic they are.
  reply.usage = (chunk.usageMetadata && readUsage(chunk.usageMetadata)) ?? reply.usage;
  reply.blockReason = blockReasonOf(chunk) ?? reply.blockReason;
  // Only the first candidate is the reply, however many were asked for.
  const candidate = chunk.candidates?.find(({ index }) => !index);
  if (candidate?.finishReason) reply.finishReasonRaw = String(candidate.finishReason);
  return (candidate?.content?.parts ?? []).flatMap((part) => gatherPart(reply, part));
}

/** Whether Gemini said why it stopped: all that comes after can be done without. */
export function isFinished({ finishReasonRaw, blockReason }: ReplyAccumulator): boolean {
  return finishReasonRaw !== null || blockReason !== null;
}

/** The reply in our words. A stream that was cut, or a reply that is of no use, is a `ProviderFailed` to try again. */
export function finishReply(reply: ReplyAccumulator): Reply {
  const { finishReasonRaw, blockReason, usage, kept } = reply;
  const raw = blockReason ?? finishReasonRaw;
  if (raw === null) {
    throw nameFailure('provider_unavailable', { provider: reply.provider, reason: 'the stream was cut' });
  }
  const finishReason = blockReason ? 'content_filter' : mapFinishReason(raw, { calls: reply.calls.length > 0 });
  const mayBeEmpty = finishReason === 'length' || finishReason === 'content_filter';
  if (!mayBeEmpty) checkUsable(reply, raw);

  return {
    text: reply.text ? cleanText(reply.text) : null,
    calls: reply.calls.map(askedCall),
    finishReason,
    finishReasonRaw: raw.slice(0, 100),
    usage,
    opaque: opaqueOf(kept),
  };
}

/** A refused prompt has no candidates; older servers rate prompts that they let pass in the same place. */
function blockReasonOf({ promptFeedback, candidates }: Chunk): string | null {
  if (promptFeedback?.blockReason) return promptFeedback.blockReason;
  return promptFeedback?.blockReasonMessage && !candidates?.length ? 'BLOCKED_REASON_UNSPECIFIED' : null;
}

/** A call that Gemini could not read, or did not pass on, is not in the reply: another try may bring it. */
function checkUsable(reply: ReplyAccumulator, raw: string): void {
  const isLost = raw === 'UNEXPECTED_TOOL_CALL' && reply.calls.length === 0;
  if (isLost || raw.startsWith('MALFORMED_')) throw unusable(reply, raw.slice(0, 100));
  if (reply.calls.some(({ name }) => !name)) throw unusable(reply, 'a tool call has no name');
  if (reply.calls.some(({ isBroken }) => isBroken)) throw unusable(reply, 'a tool call in pieces that do not fit');
  if (reply.calls.length === 0 && !reply.text.trim()) throw unusable(reply, `the reply is empty: ${raw}`.slice(0, 100));
}

function askedCall({ id, name, args }: CallAccumulator): RequestedCall {
  return { id: cleanText(id), name: cleanText(name), arguments: cleanText(JSON.stringify(args)) };
}

function unusable({ provider }: ReplyAccumulator, reason: string) {
  return nameFailure('provider_bad_response', { provider, reason });
}

/** Adds one part and answers what is new in it. Thoughts are shown and never stored, unless they are signed. */
function gatherPart(reply: ReplyAccumulator, part: Part): Delta[] {
  if (part.functionCall) return takeCall(reply, part);
  if (part.thought) return takeThought(reply, part);
  if (typeof part.text === 'string') return takeText(reply, part.text, part.thoughtSignature);
  // Media can neither be stored nor shown; code that ran at Google, and the like, goes back with the round.
  if (!part.inlineData && !part.fileData && Object.keys(part).length > 0) keep(reply, { whole: part });
  return [];
}

function keep({ kept }: ReplyAccumulator, part: KeptPart): void {
  boundReply(kept.push(part), REPLY_BOUNDS.parts, 'parts');
}

function takeCall(reply: ReplyAccumulator, { functionCall, thoughtSignature }: Part): Delta[] {
  const { started, deltas } = gatherCall(reply.calls, functionCall ?? {});
  if (started) {
    started.keptAt = reply.kept.length;
    const id = started.id ? { id: started.id } : {};
    keep(reply, { call: reply.calls.length - 1, ...id, ...signed(thoughtSignature) });
  } else if (thoughtSignature) {
    signLastCall(reply, thoughtSignature);
  }
  return deltas;
}

/** Some streams sign a call only with its last chunk. */
function signLastCall({ calls, kept }: ReplyAccumulator, thoughtSignature: string): void {
  const last = kept[calls.at(-1)?.keptAt ?? -1];
  if (last && 'call' in last) last.thoughtSignature ??= thoughtSignature;
}

function takeThought(reply: ReplyAccumulator, part: Part): Delta[] {
  if (part.thoughtSignature) keep(reply, { whole: part });
  return part.text ? [{ kind: 'reasoning', text: part.text }] : [];
}

/** Pieces without a signature are one part; a signed one stays a part of its own, and may be empty. */
function takeText(reply: ReplyAccumulator, text: string, signature: string | null | undefined): Delta[] {
  if (!text && !signature) return [];
  const last = reply.kept.at(-1);
  const grows = last && 'text' in last && !last.thoughtSignature && !signature;
  if (grows) last.text += text.length;
  else keep(reply, { text: text.length, ...signed(signature) });
  reply.text += text;
  return text ? [{ kind: 'text', text }] : [];
}

function signed(signature: string | null | undefined) {
  return signature ? { thoughtSignature: signature } : {};
}

const REASONS = new Map<string, FinishReason>([
  ['STOP', 'stop'],
  // The model called a tool that was not declared: the call is there, and its answer says so to the model.
  ['UNEXPECTED_TOOL_CALL', 'stop'],
  ['MAX_TOKENS', 'length'],
  ['CONTINUATION', 'length'],
  ['SAFETY', 'content_filter'],
  ['RECITATION', 'content_filter'],
  ['LANGUAGE', 'content_filter'],
  ['BLOCKLIST', 'content_filter'],
  ['PROHIBITED_CONTENT', 'content_filter'],
  ['SPII', 'content_filter'],
  ['MODEL_ARMOR', 'content_filter'],
  ['IMAGE_SAFETY', 'content_filter'],
  ['IMAGE_PROHIBITED_CONTENT', 'content_filter'],
  ['IMAGE_RECITATION', 'content_filter'],
]);

/** Why the model stopped, in our words: total over whatever Gemini says. It has no word for stopping at calls. */
function mapFinishReason(raw: string, seen: { calls: boolean }): FinishReason {
  const reason = REASONS.get(raw) ?? 'other';
  return reason === 'stop' && seen.calls ? 'tool_calls' : reason;
}

/** Gemini's count in our words: thoughts stand beside the candidates there; null where it counted nothing. */
function readUsage(usage: WireUsage): Usage | null {
  const { promptTokenCount: prompt, candidatesTokenCount: candidates, thoughtsTokenCount: thoughts } = usage;
  if (typeof prompt !== 'number' && typeof candidates !== 'number') return null;
  const input = (prompt ?? 0) + (usage.toolUsePromptTokenCount ?? 0);
  const output = (candidates ?? 0) + (thoughts ?? 0);
  return {
    input_tokens: input,
    output_tokens: output,
    total_tokens: input + output,
    cached_input_tokens: Math.min(usage.cachedContentTokenCount ?? 0, input),
    reasoning_tokens: thoughts ?? 0,
  };
}
