import { cleanText } from '../../text.ts';
import type { Reply, Usage } from '../../turn/reply.ts';
import { cutStream, unusable } from '../errors/name-failure.ts';
import type { Delta } from '../provider.ts';
import { countIn, type Fields, fieldsIn } from '../reply/fields.ts';
import { type Answering, finishReasonOf, laterReason, type OwnWords } from '../reply/finish-reason.ts';
import {
  type CallsAccumulator,
  distinctCalls,
  gatherCall,
  nextChunk,
  requestedCall,
  startCalls,
} from '../reply/gather-calls.ts';
import { keepServedBy, type ServedBy, tierField } from '../reply/served-by.ts';
import { usageOf } from '../reply/usage-of.ts';
import { type CallDelta, type Choice, type ChunkDelta, readChunk } from './chunk.ts';
import { gatherCallState, gatherThoughts } from './gather-thoughts.ts';
import { opaqueOf } from './opaque.ts';

/** A reply while its chunks arrive. */
export type ReplyAccumulator = {
  provider: string;
  ownWords: OwnWords | undefined;
  text: string;
  /** The start of a refusal in the text. */
  refusalFrom: number | null;
  calls: CallsAccumulator;
  /** State of the server, for the message and for each call by its index. */
  state: Fields;
  callStates: Map<number, Fields>;
  /** The reply has reasoning or media, so it is not empty without a text. */
  hasMore: boolean;
  hasDeltas: boolean;
  /** The reply arrived complete, so it needs no stop reason. */
  isWhole: boolean;
  finishReasonRaw: string | null;
  usage: Usage | null;
  serviceTier: string | null;
  served: ServedBy;
  /** How many chunks had usage, whether the last usage was for the whole reply, and whether the stream sent its end. */
  counts: number;
  hasCounted: boolean;
  isDone: boolean;
};

/** Returns an empty reply for chunks. Its failures name `provider`. */
export function startReply({ provider, toolNames, ownWords }: Answering): ReplyAccumulator {
  return {
    provider,
    ownWords,
    text: '',
    refusalFrom: null,
    calls: startCalls(toolNames),
    state: {},
    callStates: new Map(),
    hasMore: false,
    hasDeltas: false,
    isWhole: false,
    finishReasonRaw: null,
    usage: null,
    serviceTier: null,
    served: {},
    counts: 0,
    hasCounted: false,
    isDone: false,
  };
}

/** Adds one chunk and returns its deltas. An unreadable text or call is an `UnusableReply`. */
export function takeChunk(reply: ReplyAccumulator, raw: unknown): Delta[] {
  const chunk = readChunk(raw);
  const { choices, usage, serviceTier } = chunk;
  keepServedBy(reply.served, chunk);
  reply.serviceTier = serviceTier ?? reply.serviceTier;
  const counted = usage && readUsage(usage);
  reply.usage = counted ?? reply.usage;
  const deltas = choices.flatMap((choice) => takeChoice(reply, choice));
  const isAlone = deltas.length === 0 && !choices.some(hasCall);
  if (counted) reply.counts += 1;
  // Usage beside the deltas of a running reply does not show its end. Usage beside a single delta counts, since some
  // servers end like this. A server that counts with each delta, and is cut after its first delta, looks the same.
  reply.hasCounted = counted ? isAlone || reply.counts === 1 : reply.hasCounted && isAlone;
  return deltas;
}

/** Returns whether a choice has a call, even without arguments: the call's name precedes them. */
function hasCall({ delta, message }: Choice): boolean {
  return ((delta ?? message)?.calls.length ?? 0) > 0;
}

function takeChoice(reply: ReplyAccumulator, { delta, message, finishReason }: Choice): Delta[] {
  reply.finishReasonRaw = laterReason(reply.finishReasonRaw, finishReason);
  if (delta) {
    reply.hasDeltas = true;
    return takeDelta(reply, delta);
  }
  if (!message) return [];
  reply.isWhole = true;
  return takeDelta(reply, reply.hasDeltas ? restOf(message, reply) : message);
}

/**
 * Returns whether the reply has ended:
 * - the model sent its stop reason, and later chunks are not required, or
 * - the server counted once, or apart from the reply, and sent its end (Snowflake Cortex).
 *
 * A reply with an end and no count, or with a count in each chunk (vLLM's continuous_usage_stats), may have been cut.
 */
export function isFinished(reply: ReplyAccumulator): boolean {
  return reply.isWhole || reply.finishReasonRaw !== null || (reply.isDone && reply.hasCounted);
}

/** Returns the complete reply. A cut stream or an unusable reply is a `ProviderFailed` with a retry. */
export function finishReply(reply: ReplyAccumulator): Reply {
  const { provider, finishReasonRaw, refusalFrom, usage, ownWords } = reply;
  if (!isFinished(reply)) throw cutStream(provider);
  const calls = distinctCalls(reply.calls.all);
  // A call without a name has no tool.
  if (calls.some(({ name }) => !name)) throw unusable(reply.provider, 'a tool call has no name');
  const seen = { calls: calls.length > 0, refused: refusalFrom !== null };
  const finishReason = finishReasonOf(finishReasonRaw ?? 'stop', seen, { provider, own: ownWords });
  const about = { toolNames: reply.calls.toolNames, isCut: finishReason === 'length' };
  return {
    text: reply.text ? cleanText(reply.text) : null,
    calls: calls.map((call) => requestedCall(call, about)),
    // Cleaning keeps the length of a text.
    refusalFrom,
    finishReason,
    finishReasonRaw: finishReasonRaw?.slice(0, 100) ?? null,
    usage,
    ...tierField(reply.serviceTier),
    ...reply.served,
    opaque: opaqueOf(reply.state, calls, reply.callStates),
    ...(reply.hasMore ? { hasMore: true } : {}),
  };
}

function takeDelta(reply: ReplyAccumulator, delta: ChunkDelta): Delta[] {
  const { text, refusal, calls } = delta;
  const deltas: Delta[] = [];
  const thought = gatherThoughts(reply.state, delta);
  reply.hasMore ||= thought !== '' || delta.hasMedia;
  if (thought) deltas.push({ kind: 'reasoning', text: thought });
  if (text) deltas.push({ kind: 'text', text });
  reply.text += text;
  if (refusal) {
    reply.refusalFrom ??= reply.text.length;
    reply.text += refusal;
    deltas.push({ kind: 'refusal', text: refusal });
  }
  if (calls.length > 0) deltas.push(...takeCalls(reply, calls));
  return deltas;
}

function takeCalls(reply: ReplyAccumulator, calls: CallDelta[]): Delta[] {
  nextChunk(reply.calls);
  return calls.flatMap((delta) => {
    const { call, deltas } = gatherCall(reply.calls, delta);
    const fields = reply.callStates.get(call.place) ?? {};
    gatherCallState(fields, delta);
    if (Object.keys(fields).length > 0) reply.callStates.set(call.place, fields);
    return deltas;
  });
}

/** Returns a provider's count as usage, or null if it counted no tokens. */
function readUsage(usage: Fields): Usage | null {
  const prompt = countIn(usage.prompt_tokens);
  const completion = countIn(usage.completion_tokens);
  if (prompt === null && completion === null) return null;
  const input = prompt ?? 0;
  const details = fieldsIn(usage.prompt_tokens_details);
  const reasoning =
    countIn(fieldsIn(usage.completion_tokens_details)?.reasoning_tokens) ?? countIn(usage.reasoning_tokens) ?? 0;
  const total = countIn(usage.total_tokens) ?? 0;
  return usageOf({
    input,
    output: outputTokens({ input, completion: completion ?? 0, reasoning, total }),
    cached: countIn(details?.cached_tokens) ?? countIn(usage.prompt_cache_hit_tokens) ?? 0,
    written: countIn(details?.cache_write_tokens) ?? 0,
    reasoning,
  });
}

type Counts = { input: number; completion: number; reasoning: number; total: number };

/**
 * Returns the output tokens with reasoning. xAI counts reasoning beside the completion, Gemini only in the total,
 * other servers inside the completion. The total shows the difference. Without a total, reasoning that exceeds the
 * completion is separate.
 */
function outputTokens({ input, completion, reasoning, total }: Counts): number {
  const apart = reasoning > completion ? completion + reasoning : completion;
  return Math.max(apart, total - input);
}

type Said = { text: string; refusalFrom: number | null; calls: CallsAccumulator; state: Fields };

/** Returns a complete message without its earlier deltas. Some servers end a stream with the complete message. */
function restOf(message: ChunkDelta, { text, refusalFrom, calls, state }: Said): ChunkDelta {
  const fields = Object.entries(message.fields).filter(([name]) => !Object.hasOwn(state, name));
  return {
    ...message,
    text: message.text.startsWith(text) ? message.text.slice(text.length) : '',
    thinking: '',
    refusal: refusalFrom === null ? message.refusal : '',
    calls: calls.all.length > 0 ? [] : message.calls,
    fields: Object.fromEntries(fields),
  };
}
