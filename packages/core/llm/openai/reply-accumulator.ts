import { cleanText } from '../../text.ts';
import type { Reply, Usage } from '../../turn/reply.ts';
import { nameFailure } from '../errors/name-failure.ts';
import type { Delta } from '../provider.ts';
import { finishReasonOf, isReason, type OwnWords } from '../reply/finish-reason.ts';
import {
  type CallsAccumulator,
  distinctCalls,
  type CallDelta as Gathered,
  gatherCall,
  nextChunk,
  requestedCall,
  startCalls,
} from '../reply/gather-calls.ts';
import type { Fields } from '../reply/join-fields.ts';
import { withoutBlanks } from '../reply/without-blanks.ts';
import { type CallDelta, type Choice, Chunk, type ChunkDelta, type WireUsage } from './chunk.ts';
import { gatherCallState, gatherThoughts } from './gather-thoughts.ts';
import { opaqueOf } from './opaque.ts';
import { callsOf, hasCall, hasMedia, isBlank, restOf, textOf } from './rest-of.ts';

/** A reply while its chunks arrive. */
export type ReplyAccumulator = {
  provider: string;
  ownWords: OwnWords | undefined;
  text: string;
  /** Where in the text the model began to refuse. */
  refusalFrom: number | null;
  calls: CallsAccumulator;
  /** State of the server, with the message and with each call by its place. */
  state: Fields;
  callStates: Map<number, Fields>;
  /** The reply has reasoning or media, so that it says something without a text. */
  hasMore: boolean;
  /** Some of the reply came in deltas. */
  hasDeltas: boolean;
  /** The reply came whole, so that nothing is missing even if no reason to stop is given. */
  isWhole: boolean;
  finishReasonRaw: string | null;
  usage: Usage | null;
  /** How many chunks gave usage; whether the last gave it for the whole; whether the stream said that it is done. */
  counts: number;
  hasCounted: boolean;
  isDone: boolean;
};

/**
 * About the request of a reply: its provider, the names of its tools, and the operator's words for why a model stops.
 */
export type Answering = { provider: string; toolNames?: Iterable<string>; ownWords?: OwnWords | undefined };

/** An empty reply to gather chunks in; `provider` is named in the failures it may throw. */
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
    counts: 0,
    hasCounted: false,
    isDone: false,
  };
}

/**
 * Adds one chunk and returns its deltas. A chunk without choices and usage says nothing. A chunk whose text or calls
 * cannot be read fails as `provider_bad_response`.
 */
export function takeChunk(reply: ReplyAccumulator, raw: unknown): Delta[] {
  const chunk = Chunk.safeParse(raw).data ?? Chunk.safeParse(withoutBlanks(raw)).data;
  if (!chunk) throw unusable(reply, 'not a chat completion chunk');

  // Only the first choice is the reply, whatever `n` was asked for. Copilot gives its text and its calls a choice each.
  const choices = (chunk.choices ?? []).flatMap((each) => (each && !each.index ? [each] : []));
  const usage = chunk.usage ?? choices[0]?.usage ?? chunk.x_groq?.usage;
  const counted = usage ? readUsage(usage) : null;
  reply.usage = counted ?? reply.usage;
  const deltas = choices.flatMap((choice) => takeChoice(reply, choice));
  const isAlone = deltas.length === 0 && !choices.some(({ delta, message }) => hasCall(delta ?? message ?? {}));
  if (counted) reply.counts += 1;
  // Usage that is counted as the reply goes, beside its deltas, says nothing about its end. Beside a single delta it
  // counts: some servers end so. One that counts with each delta and is cut after its first looks the same.
  reply.hasCounted = counted ? isAlone || reply.counts === 1 : reply.hasCounted && isAlone;
  return deltas;
}

function takeChoice(reply: ReplyAccumulator, { delta, message, finish_reason: reason }: Choice): Delta[] {
  if (isReason(reason)) reply.finishReasonRaw = reason;
  if (delta) {
    reply.hasDeltas = true;
    return takeDelta(reply, delta);
  }
  if (!message) return [];
  reply.isWhole = true;
  return takeDelta(reply, reply.hasDeltas ? restOf(message, reply) : message);
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
  const { provider, finishReasonRaw, refusalFrom, usage, ownWords } = reply;
  if (!isFinished(reply)) throw nameFailure('provider_unavailable', { provider, reason: 'the stream was cut' });
  const calls = distinctCalls(reply.calls.all);
  // A call without a name cannot be answered.
  if (calls.some(({ name }) => !name)) throw unusable(reply, 'a tool call has no name');
  const seen = { calls: calls.length > 0, refused: refusalFrom !== null };
  const finishReason = finishReasonOf(finishReasonRaw ?? 'stop', seen, { provider, own: ownWords });
  return {
    text: reply.text ? cleanText(reply.text) : null,
    calls: calls.map((call) => requestedCall(call, finishReason === 'length')),
    // Cleaning keeps the length of a text.
    refusalFrom,
    finishReason,
    finishReasonRaw: finishReasonRaw?.slice(0, 100) ?? null,
    usage,
    opaque: opaqueOf(reply.state, calls, reply.callStates),
    ...(reply.hasMore ? { hasMore: true } : {}),
  };
}

function takeDelta(reply: ReplyAccumulator, delta: ChunkDelta): Delta[] {
  const thought = gatherThoughts(reply.state, delta);
  const text = textOf(delta);
  const refusal = delta.refusal ?? '';
  reply.hasMore ||= thought !== '' || hasMedia(delta);
  reply.text += text;
  if (refusal) reply.refusalFrom ??= reply.text.length;
  reply.text += refusal;
  return [
    ...(thought ? [{ kind: 'reasoning', text: thought } as const] : []),
    ...(text ? [{ kind: 'text', text } as const] : []),
    ...(refusal ? [{ kind: 'refusal', text: refusal } as const] : []),
    ...takeCalls(reply, callsOf(delta)),
  ];
}

function takeCalls(reply: ReplyAccumulator, deltas: CallDelta[]): Delta[] {
  const calls = deltas.filter((delta) => !isBlank(delta));
  if (calls.length === 0) return [];
  nextChunk(reply.calls);
  return calls.flatMap((delta) => {
    const { call, deltas: added } = gatherCall(reply.calls, gathered(delta));
    const fields = reply.callStates.get(call.place) ?? {};
    gatherCallState(fields, delta);
    if (Object.keys(fields).length > 0) reply.callStates.set(call.place, fields);
    return added;
  });
}

function gathered(delta: CallDelta): Gathered {
  const { index, id, function: called } = delta;
  const { name, arguments: args } = called ?? delta;
  return {
    index: index ?? null,
    id: id ?? '',
    name: typeof name === 'string' ? name : '',
    text: textOfArguments(args),
  };
}

/** Some servers send the arguments as an object. */
function textOfArguments(args: unknown): string {
  if (args === null || args === undefined) return '';
  return typeof args === 'string' ? args : JSON.stringify(args);
}

function unusable({ provider }: ReplyAccumulator, reason: string) {
  return nameFailure('provider_bad_response', { provider, reason });
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
