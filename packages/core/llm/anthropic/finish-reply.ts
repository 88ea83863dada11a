import { cleanText } from '../../text.ts';
import type { AskedCall } from '../../turn/message.ts';
import type { Reply } from '../../turn/reply.ts';
import { sumUsage, type Usage } from '../../turn/usage.ts';
import { nameFailure } from '../name-failure.ts';
import { argumentsOf, type BlockDraft, textAt, wholeBlock } from './gather-block.ts';
import { mapStopReason } from './map-stop-reason.ts';
import { opaqueOf } from './opaque.ts';
import { readUsage } from './read-usage.ts';
import type { ReplyDraft } from './reply-draft.ts';
import { textOf } from './text-of.ts';

/** The reply in our words. A stream that was cut, or a reply nobody can use, is a `ProviderFailed` to try again. */
export function finishReply(draft: ReplyDraft): Reply {
  const { provider, isFinished, stopReasonRaw: raw } = draft;
  if (!isFinished) throw nameFailure('provider_unavailable', { provider, reason: 'the stream was cut' });

  const blocks = draft.blocks.map(wholeBlock);
  const asked = draft.blocks.filter(({ block }) => block.type === 'tool_use');
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
    usage: usageOf(draft),
    opaque: opaqueOf(blocks, isCut),
  };
}

/** No arguments at all means none are needed, unless the reply was cut off in the middle. */
function askedCall(draft: BlockDraft, isCut: boolean): AskedCall {
  const { block } = draft;
  const args = argumentsOf(draft);
  const text = args.trim() || isCut ? args : '{}';
  return { id: cleanText(textAt(block, 'id')), name: cleanText(textAt(block, 'name')), arguments: cleanText(text) };
}

function usageOf({ earlier, usage }: ReplyDraft): Usage | null {
  const last = readUsage(usage);
  return earlier.length ? sumUsage([...earlier, last]) : last;
}

function unusable(provider: string, reason: string) {
  return nameFailure('provider_bad_response', { provider, reason });
}
