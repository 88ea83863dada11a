import { cleanText } from '../../text.ts';
import type { AskedCall } from '../../turn/message.ts';
import type { Reply } from '../../turn/reply.ts';
import type { Usage } from '../../turn/usage.ts';
import { nameFailure } from '../name-failure.ts';
import type { Delta } from '../provider.ts';
import { type CallPiece, Chunk, type Piece } from './chunk.ts';
import { type CallDraft, type CallsDraft, gatherCall, isBlank, startCalls } from './gather-calls.ts';
import { gatherThoughts, type Thoughts } from './gather-thoughts.ts';
import { mapFinishReason } from './map-finish-reason.ts';
import { opaqueOf } from './opaque.ts';
import { readUsage } from './read-usage.ts';

/** A reply while its chunks arrive. */
export type ReplyDraft = {
  provider: string;
  text: string;
  refused: boolean;
  calls: CallsDraft;
  thoughts: Thoughts;
  /** The reply came whole, so that nothing is missing even where no reason to stop is told. */
  isWhole: boolean;
  finishReasonRaw: string | null;
  usage: Usage | null;
  /** How many chunks told usage; whether the last told it for the whole; whether the stream said that it is done. */
  counts: number;
  hasCounted: boolean;
  isDone: boolean;
};

/** An empty reply to gather chunks in; `provider` names whom a failure speaks of. */
export function startReply(provider: string): ReplyDraft {
  return {
    provider,
    text: '',
    refused: false,
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
export function takeChunk(draft: ReplyDraft, raw: unknown): Delta[] {
  const { success, data: chunk } = Chunk.safeParse(raw);
  if (!success) throw unusable(draft, 'not a chat completion chunk');

  // Only the first choice is the reply, whatever `n` was asked for.
  const choice = chunk.choices.find(({ index }) => !index);
  const usage = chunk.usage ?? choice?.usage ?? chunk.x_groq?.usage;
  const counted = usage ? readUsage(usage) : null;
  draft.usage = counted ?? draft.usage;
  if (choice?.finish_reason) draft.finishReasonRaw = choice.finish_reason;
  if (choice?.message) draft.isWhole = true;
  const piece = choice?.delta ?? choice?.message;
  const deltas = piece ? takePiece(draft, piece) : [];
  const isAlone = deltas.length === 0 && !(piece && hasCall(piece));
  if (counted) draft.counts += 1;
  // Usage that is counted as the reply goes, beside its pieces, says nothing about its end. Beside a single piece it
  // counts: some servers end so. One that counts with each piece and is cut after its first looks the same.
  draft.hasCounted = counted ? isAlone || draft.counts === 1 : draft.hasCounted && isAlone;
  return deltas;
}

/**
 * Whether the reply has ended: the model said why it stopped, and all that comes after can be done without; or the
 * server counted once, or apart from the reply, and said it is done (Snowflake Cortex). One that is done without having
 * counted, or that counts with each chunk (vLLM's continuous_usage_stats), may have been cut.
 */
export function isFinished(draft: ReplyDraft): boolean {
  return draft.isWhole || draft.finishReasonRaw !== null || (draft.isDone && draft.hasCounted);
}

/** The reply in our words. A stream that was cut, or a reply nobody can use, is a `ProviderFailed` to try again. */
export function finishReply(draft: ReplyDraft): Reply {
  const { finishReasonRaw, refused, usage } = draft;
  checkEnd(draft);
  const finishReason = mapFinishReason(finishReasonRaw, { calls: draft.calls.all.length > 0, refused });
  const mayBeEmpty = finishReason === 'length' || finishReason === 'content_filter' || finishReason === 'refusal';
  if (!mayBeEmpty && draft.calls.all.length === 0 && !draft.text.trim()) throw unusable(draft, 'the reply is empty');

  return {
    text: draft.text ? cleanText(draft.text) : null,
    calls: draft.calls.all.map((call) => askedCall(call, finishReason === 'length')),
    finishReason,
    finishReasonRaw: finishReasonRaw?.slice(0, 100) ?? null,
    usage,
    opaque: opaqueOf(draft.thoughts, draft.calls.all),
  };
}

function takePiece(draft: ReplyDraft, piece: Piece): Delta[] {
  const thought = gatherThoughts(draft.thoughts, piece);
  const text = textOf(piece) + (piece.refusal ?? '');
  draft.text += text;
  draft.refused ||= Boolean(piece.refusal);
  return [
    ...(thought ? [{ kind: 'reasoning', text: thought } as const] : []),
    ...(text ? [{ kind: 'text', text } as const] : []),
    ...callsOf(piece).flatMap((call) => gatherCall(draft.calls, call)),
  ];
}

/** Also where the piece has no arguments yet: the call's name comes before them. */
function hasCall(piece: Piece): boolean {
  return !callsOf(piece).every(isBlank);
}

function callsOf({ tool_calls, function_call }: Piece): CallPiece[] {
  return tool_calls ?? [{ function: function_call }];
}

function textOf({ content }: Piece): string {
  if (!Array.isArray(content)) return content ?? '';
  return content.reduce((text, part) => text + (part.text ?? ''), '');
}

/** Some servers put their own breakdown where the reason stands; a call without a name can be answered by nobody. */
function checkEnd(draft: ReplyDraft): void {
  const { provider, finishReasonRaw: raw } = draft;
  if (!isFinished(draft)) throw nameFailure('provider_unavailable', { provider, reason: 'the stream was cut' });
  if (raw === 'insufficient_system_resource') throw nameFailure('provider_overloaded', { provider, reason: raw });
  if (raw === 'error') throw unusable(draft, 'it stopped with an error');
  if (draft.calls.all.some(({ name }) => !name)) throw unusable(draft, 'a tool call has no name');
}

/** No arguments at all means none are needed, unless the reply was cut off in the middle. */
function askedCall({ id, name, arguments: args }: CallDraft, isCut: boolean): AskedCall {
  const text = args.trim() || isCut ? args : '{}';
  return { id: cleanText(id), name: cleanText(name), arguments: cleanText(text) };
}

function unusable({ provider }: ReplyDraft, reason: string) {
  return nameFailure('provider_bad_response', { provider, reason });
}
