import { cleanText } from '../../text.ts';
import type { RequestedCall } from '../../turn/message.ts';
import type { FinishReason, Reply, Usage } from '../../turn/reply.ts';
import { nameFailure } from '../errors/name-failure.ts';
import type { Delta } from '../provider.ts';
import { type CallDelta, Chunk, type ChunkDelta, type WireUsage } from './chunk.ts';
import { type CallAccumulator, type CallsAccumulator, gatherCall, isBlank, startCalls } from './gather-calls.ts';
import { gatherThoughts, type Thoughts } from './gather-thoughts.ts';
import { opaqueOf } from './opaque.ts';

/** A reply while its chunks arrive. */
export type ReplyAccumulator = {
  provider: string;
  text: string;
  /** Where in the text the model began to refuse. */
  refusalFrom: number | null;
  calls: CallsAccumulator;
  thoughts: Thoughts;
  /** The reply came whole, so that nothing is missing even where no reason to stop is given. */
  isWhole: boolean;
  finishReasonRaw: string | null;
  usage: Usage | null;
  /** How many chunks gave usage; whether the last gave it for the whole; whether the stream said that it is done. */
  counts: number;
  hasCounted: boolean;
  isDone: boolean;
};

/** An empty reply to gather chunks in; `provider` stands in the failures it may throw. */
export function startReply(provider: string): ReplyAccumulator {
  return {
    provider,
    text: '',
    refusalFrom: null,
    calls: startCalls(),
    thoughts: {},
    isWhole: false,
    finishReasonRaw: null,
    usage: null,
    counts: 0,
    hasCounted: false,
    isDone: false,
  };
}

/** Adds one chunk and answers what is new in it. What is no chunk fails as `provider_bad_response`. */
export function takeChunk(reply: ReplyAccumulator, raw: unknown): Delta[] {
  const { success, data: chunk } = Chunk.safeParse(raw);
  if (!success) throw unusable(reply, 'not a chat completion chunk');

  // Only the first choice is the reply, whatever `n` was asked for.
  const choice = chunk.choices.find(({ index }) => !index);
  const usage = chunk.usage ?? choice?.usage ?? chunk.x_groq?.usage;
  const counted = usage ? readUsage(usage) : null;
  reply.usage = counted ?? reply.usage;
  if (choice?.finish_reason) reply.finishReasonRaw = choice.finish_reason;
  if (choice?.message) reply.isWhole = true;
  const delta = choice?.delta ?? choice?.message;
  const deltas = delta ? takeDelta(reply, delta) : [];
  const isAlone = deltas.length === 0 && !(delta && hasCall(delta));
  if (counted) reply.counts += 1;
  // Usage that is counted as the reply goes, beside its deltas, says nothing about its end. Beside a single delta it
  // counts: some servers end so. One that counts with each delta and is cut after its first looks the same.
  reply.hasCounted = counted ? isAlone || reply.counts === 1 : reply.hasCounted && isAlone;
  return deltas;
}

/**
 * Whether the reply has ended:
 * - the model said why it stopped, and all that comes after can be done without; or
 * - the server counted once, or apart from the reply, and said it is done (Snowflake Cortex).
 *
 * One that is done without having counted, or that counts with each chunk (vLLM's continuous_usage_stats), may have
 * been cut.
 */
export function isFinished(reply: ReplyAccumulator): boolean {
  return reply.isWhole || reply.finishReasonRaw !== null || (reply.isDone && reply.hasCounted);
}

/** The reply in our words. A stream that was cut, or a reply that is of no use, is a `ProviderFailed` to try again. */
export function finishReply(reply: ReplyAccumulator): Reply {
  const { finishReasonRaw, refusalFrom, usage } = reply;
  checkEnd(reply);
  const finishReason = mapFinishReason(finishReasonRaw, {
    calls: reply.calls.all.length > 0,
    refused: refusalFrom !== null,
  });
  const mayBeEmpty = finishReason === 'length' || finishReason === 'content_filter' || finishReason === 'refusal';
  if (!mayBeEmpty && reply.calls.all.length === 0 && !reply.text.trim()) throw unusable(reply, 'the reply is empty');

  return {
    text: reply.text ? cleanText(reply.text) : null,
    calls: reply.calls.all.map((call) => askedCall(call, finishReason === 'length')),
    // Cleaning keeps the length of a text.
    refusalFrom,
    finishReason,
    finishReasonRaw: finishReasonRaw?.slice(0, 100) ?? null,
    usage,
    opaque: opaqueOf(reply.thoughts, reply.calls.all),
  };
}

function takeDelta(reply: ReplyAccumulator, delta: ChunkDelta): Delta[] {
  const thought = gatherThoughts(reply.thoughts, delta);
  const text = textOf(delta);
  const refusal = delta.refusal ?? '';
  reply.text += text;
  if (refusal) reply.refusalFrom ??= reply.text.length;
  reply.text += refusal;
  return [
    ...(thought ? [{ kind: 'reasoning', text: thought } as const] : []),
    ...(text ? [{ kind: 'text', text } as const] : []),
    ...(refusal ? [{ kind: 'refusal', text: refusal } as const] : []),
    ...callsOf(delta).flatMap((call) => gatherCall(reply.calls, call)),
  ];
}

/** Also where the delta has no arguments yet: the call's name comes before them. */
function hasCall(delta: ChunkDelta): boolean {
  return !callsOf(delta).every(isBlank);
}

function callsOf({ tool_calls, function_call }: ChunkDelta): CallDelta[] {
  return tool_calls ?? [{ function: function_call }];
}

function textOf({ content }: ChunkDelta): string {
  if (!Array.isArray(content)) return content ?? '';
  return content.reduce((text, part) => text + (part.text ?? ''), '');
}

/** Some servers put their own breakdown where the reason stands; a call without a name cannot be answered. */
function checkEnd(reply: ReplyAccumulator): void {
  const { provider, finishReasonRaw: raw } = reply;
  if (!isFinished(reply)) throw nameFailure('provider_unavailable', { provider, reason: 'the stream was cut' });
  if (raw === 'insufficient_system_resource') throw nameFailure('provider_overloaded', { provider, reason: raw });
  if (raw === 'error') throw unusable(reply, 'it stopped with an error');
  if (reply.calls.all.some(({ name }) => !name)) throw unusable(reply, 'a tool call has no name');
}

/** No arguments at all means none are needed, unless the reply was cut off in the middle. */
function askedCall({ id, name, arguments: args }: CallAccumulator, isCut: boolean): RequestedCall {
  const text = args.trim() || isCut ? args : '{}';
  return { id: cleanText(id), name: cleanText(name), arguments: cleanText(text) };
}

function unusable({ provider }: ReplyAccumulator, reason: string) {
  return nameFailure('provider_bad_response', { provider, reason });
}

const REASONS = new Map<string, FinishReason>([
  ['stop', 'stop'],
  ['eos', 'stop'],
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['complete', 'stop'],
  ['tool_calls', 'tool_calls'],
  ['tool_call', 'tool_calls'],
  ['function_call', 'tool_calls'],
  ['tool_use', 'tool_calls'],
  ['length', 'length'],
  ['max_tokens', 'length'],
  ['model_length', 'length'],
  ['content_filter', 'content_filter'],
  ['safety', 'content_filter'],
  ['refusal', 'refusal'],
]);

/** Why the model stopped, in our words: total over whatever a server says, checked against the reply's content. */
function mapFinishReason(raw: string | null, seen: { calls: boolean; refused: boolean }): FinishReason {
  const reason = REASONS.get((raw ?? 'stop').toLowerCase()) ?? 'other';
  if (reason !== 'stop' && reason !== 'tool_calls') return reason;
  if (seen.refused) return 'refusal';
  // Some servers say `stop` beside calls (a forced tool choice), some `tool_calls` beside plain text.
  return seen.calls ? 'tool_calls' : 'stop';
}

/** A provider's count in our words; null where it counted nothing. */
function readUsage(usage: WireUsage): Usage | null {
  if (typeof usage.prompt_tokens !== 'number' && typeof usage.completion_tokens !== 'number') return null;
  const input = usage.prompt_tokens ?? 0;
  const cached = usage.prompt_tokens_details?.cached_tokens ?? usage.prompt_cache_hit_tokens ?? 0;
  const reasoning = usage.completion_tokens_details?.reasoning_tokens ?? usage.reasoning_tokens ?? 0;
  const output = outputTokens(usage, input, reasoning);
  return {
    input_tokens: input,
    output_tokens: output,
    total_tokens: input + output,
    cached_input_tokens: Math.min(cached, input),
    reasoning_tokens: reasoning,
  };
}

/**
 * xAI counts reasoning beside the completion, Gemini only in the total, others inside the completion.
 * The total shows which; where it does not, reasoning that exceeds the completion cannot be a part of it.
 */
function outputTokens(usage: WireUsage, input: number, reasoning: number): number {
  const counted = usage.completion_tokens ?? 0;
  const apart = reasoning > counted ? counted + reasoning : counted;
  return Math.max(apart, (usage.total_tokens ?? 0) - input);
}
