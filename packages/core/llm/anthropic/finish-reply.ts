import { cleanText } from '../../text.ts';
import type { RequestedCall } from '../../turn/message.ts';
import { type FinishReason, type Reply, sumUsage, type Usage } from '../../turn/reply.ts';
import { nameFailure } from '../errors/name-failure.ts';
import { argumentsOf, type BlockAccumulator, textAt, textOf, wholeBlock } from './block.ts';
import { opaqueOf } from './opaque.ts';
import { type ReplyAccumulator, readUsage } from './reply-accumulator.ts';

/** The reply in our words. A stream that was cut, or a reply that is of no use, is a `ProviderFailed` to try again. */
export function finishReply(reply: ReplyAccumulator): Reply {
  const { provider, isFinished, stopReasonRaw: raw } = reply;
  if (!isFinished) throw nameFailure('provider_unavailable', { provider, reason: 'the stream was cut' });

  const blocks = reply.blocks.map(wholeBlock);
  const asked = reply.blocks.filter(({ block }) => block.type === 'tool_use');
  const text = textOf(blocks);
  const finishReason = mapStopReason(raw, asked.length > 0);
  const isCut = finishReason === 'length';
  if (asked.some(({ block }) => !textAt(block, 'name'))) throw unusable(provider, 'a tool call has no name');
  if (!isCut && finishReason !== 'refusal' && asked.length === 0 && !text.trim()) {
    throw unusable(provider, 'the reply is empty');
  }
  return {
    text: text ? cleanText(text) : null,
    calls: asked.map((call) => askedCall(call, isCut)),
    finishReason,
    finishReasonRaw: raw?.slice(0, 100) ?? null,
    usage: usageOf(reply),
    opaque: opaqueOf(blocks, isCut),
  };
}

/** No arguments at all means none are needed, unless the reply was cut off in the middle. */
function askedCall(reply: BlockAccumulator, isCut: boolean): RequestedCall {
  const { block } = reply;
  const args = argumentsOf(reply);
  const text = args.trim() || isCut ? args : '{}';
  return { id: cleanText(textAt(block, 'id')), name: cleanText(textAt(block, 'name')), arguments: cleanText(text) };
}

function usageOf({ earlier, usage }: ReplyAccumulator): Usage | null {
  const last = readUsage(usage);
  return earlier.length ? sumUsage([...earlier, last]) : last;
}

function unusable(provider: string, reason: string) {
  return nameFailure('provider_bad_response', { provider, reason });
}

const REASONS = new Map<string, FinishReason>([
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['tool_use', 'tool_calls'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  // Only a reply that paused more often than it may be resumed comes here: what there is of it is cut.
  ['pause_turn', 'length'],
  ['refusal', 'refusal'],
]);

/** Why the model stopped, in our words: total over whatever a server says, checked against the calls. */
function mapStopReason(raw: string | null, hasCalls: boolean): FinishReason {
  const reason = REASONS.get(raw ?? 'end_turn') ?? 'other';
  const isDone = reason === 'stop' || reason === 'tool_calls' || raw === 'pause_turn';
  if (isDone && hasCalls) return 'tool_calls';
  return reason === 'tool_calls' ? 'stop' : reason;
}
