import { cleanText } from '../../text.ts';
import { type FinishReason, type Reply, sumRequests, type Usage } from '../../turn/reply.ts';
import { cutStream, unusable } from '../errors/name-failure.ts';
import { hasNoArguments, hasWholeArguments } from '../reply/arguments-accumulator.ts';
import { finishReasonOf } from '../reply/finish-reason.ts';
import { distinctCalls, requestedCall } from '../reply/gather-calls.ts';
import { tierField } from '../reply/served-by.ts';
import { type Block, textOf, wholeBlock } from './block.ts';
import { annotationsOf } from './hosted/annotations.ts';
import { hostedCallsOf } from './hosted/hosted-calls.ts';
import { opaqueOf } from './opaque.ts';
import { readUsage } from './read-usage.ts';
import { isFinished, type ReplyAccumulator } from './reply-accumulator.ts';

/** Returns the complete reply. A cut stream or an unusable reply is a `ProviderFailed` with a retry. */
export function finishReply(reply: ReplyAccumulator): Reply {
  const { provider, stopReasonRaw: raw } = reply;
  if (!isFinished(reply)) throw cutStream(provider);

  const asked = distinctCalls(reply.calls.all);
  // Without a reason, the reply may have been cut within a call.
  const isHalf = raw === null && asked.some(({ arguments: args }) => !hasNoArguments(args) && !hasWholeArguments(args));
  if (isHalf) throw cutStream(provider);
  const gathered = reply.blocks.filter(({ call }) => call === null || asked.includes(call));
  const blocks = gathered.map(wholeBlock);
  const text = textOf(blocks);
  const finishReason = reasonOf(reply, asked.length > 0);
  const isCut = finishReason === 'length';
  if (asked.some(({ name }) => !name)) throw unusable(provider, 'a tool call has no name');
  return {
    text: text ? cleanText(text) : null,
    calls: asked.map((call) => requestedCall(call, { toolNames: reply.calls.toolNames, isCut })),
    finishReason,
    finishReasonRaw: raw?.slice(0, 100) ?? null,
    usage: usageOf(reply),
    ...tierField(reply.usage?.service_tier ?? null),
    ...reply.served,
    opaque: opaqueOf(blocks, { isCut, container: reply.container }),
    ...hostedField(blocks, { earlier: reply.openCalls, isOpen: asked.length > 0 && !isCut }),
    ...(blocks.some(({ type }) => type !== 'text' && type !== 'tool_use') ? { hasMore: true } : {}),
  };
}

/** Returns hosted calls and citations as a field, if the reply has any. This wire makes no images. */
function hostedField(blocks: Block[], context: Parameters<typeof hostedCallsOf>[1]): Pick<Reply, 'hosted'> {
  const calls = hostedCallsOf(blocks, context);
  const annotations = annotationsOf(blocks);
  return calls.length + annotations.length > 0 ? { hosted: { calls, annotations, images: [] } } : {};
}

function usageOf({ earlier, usage }: ReplyAccumulator): Usage | null {
  return sumRequests([...earlier, readUsage(usage)]);
}

/** Returns the finish reason. A reply with too many pauses was cut, unless it has calls. */
function reasonOf({ provider, ownWords: own, stopReasonRaw: raw }: ReplyAccumulator, hasCalls: boolean): FinishReason {
  if (raw === 'pause_turn' && hasCalls) return 'tool_calls';
  return finishReasonOf(raw ?? 'end_turn', { calls: hasCalls }, { provider, own });
}
