import { cleanText } from '../../text.ts';
import type { AskedCall } from '../../turn/message.ts';
import type { Reply } from '../../turn/reply.ts';
import type { Usage } from '../../turn/usage.ts';
import { nameFailure } from '../name-failure.ts';
import type { Delta } from '../provider.ts';
import { Chunk } from './chunk.ts';
import type { CallDraft } from './gather-calls.ts';
import { gatherPart, type PartsDraft } from './gather-parts.ts';
import { mapFinishReason } from './map-finish-reason.ts';
import { opaqueOf } from './opaque.ts';
import { readUsage } from './read-usage.ts';

/** A reply while its chunks arrive. */
export type ReplyDraft = PartsDraft & {
  provider: string;
  finishReasonRaw: string | null;
  /** Why the prompt itself was refused, in Gemini's word. */
  blockReason: string | null;
  usage: Usage | null;
};

/** An empty reply to gather chunks in; `provider` names whom a failure speaks of. */
export function startReply(provider: string): ReplyDraft {
  return { provider, text: '', calls: [], kept: [], finishReasonRaw: null, blockReason: null, usage: null };
}

/** Adds one chunk and answers what is new in it. What is no chunk fails as `provider_bad_response`. */
export function takeChunk(draft: ReplyDraft, raw: unknown): Delta[] {
  const { success, data: chunk } = Chunk.safeParse(raw);
  if (!success) throw unusable(draft, 'not a generateContent chunk');

  // Counts grow from chunk to chunk; some chunks carry only what kind of traffic they are.
  draft.usage = (chunk.usageMetadata && readUsage(chunk.usageMetadata)) ?? draft.usage;
  draft.blockReason = blockReasonOf(chunk) ?? draft.blockReason;
  // Only the first candidate is the reply, however many were asked for.
  const candidate = chunk.candidates?.find(({ index }) => !index);
  if (candidate?.finishReason) draft.finishReasonRaw = String(candidate.finishReason);
  return (candidate?.content?.parts ?? []).flatMap((part) => gatherPart(draft, part));
}

/** Whether Gemini said why it stopped: all that comes after can be done without. */
export function isFinished({ finishReasonRaw, blockReason }: ReplyDraft): boolean {
  return finishReasonRaw !== null || blockReason !== null;
}

/** The reply in our words. A stream that was cut, or a reply nobody can use, is a `ProviderFailed` to try again. */
export function finishReply(draft: ReplyDraft): Reply {
  const { finishReasonRaw, blockReason, usage, kept } = draft;
  const raw = blockReason ?? finishReasonRaw;
  if (raw === null) {
    throw nameFailure('provider_unavailable', { provider: draft.provider, reason: 'the stream was cut' });
  }
  const finishReason = blockReason ? 'content_filter' : mapFinishReason(raw, { calls: draft.calls.length > 0 });
  const mayBeEmpty = finishReason === 'length' || finishReason === 'content_filter';
  if (!mayBeEmpty) checkUsable(draft, raw);

  return {
    text: draft.text ? cleanText(draft.text) : null,
    calls: draft.calls.map(askedCall),
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
function checkUsable(draft: ReplyDraft, raw: string): void {
  const isLost = raw === 'UNEXPECTED_TOOL_CALL' && draft.calls.length === 0;
  if (isLost || raw.startsWith('MALFORMED_')) throw unusable(draft, raw.slice(0, 100));
  if (draft.calls.some(({ name }) => !name)) throw unusable(draft, 'a tool call has no name');
  if (draft.calls.some(({ isBroken }) => isBroken)) throw unusable(draft, 'a tool call whose pieces do not fit');
  if (draft.calls.length === 0 && !draft.text.trim()) throw unusable(draft, `the reply is empty: ${raw}`.slice(0, 100));
}

function askedCall({ id, name, args }: CallDraft): AskedCall {
  return { id: cleanText(id), name: cleanText(name), arguments: cleanText(JSON.stringify(args)) };
}

function unusable({ provider }: ReplyDraft, reason: string) {
  return nameFailure('provider_bad_response', { provider, reason });
}
