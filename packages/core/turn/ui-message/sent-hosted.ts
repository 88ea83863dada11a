import type { HostedCall } from '../hosted/hosted.ts';
import type { UiChunk } from './chunk.ts';
import { hostedChunks } from './hosted-chunks.ts';

/** The sent chunks of hosted calls of a round, by the ids of the calls, and the run that made the calls. */
export type SentHosted = { draft: number; attempt: number | null; chunks: Map<string, UiChunk[]> };

/** The hosted calls of a round: of the committed round (`attempt` is null), or so far. */
export type LatestHosted = { round: number; draft: number; attempt: number | null; calls: readonly HostedCall[] };

/** Returns the state of a stream before the first chunk of a hosted call. */
export function noHosted(): SentHosted {
  return { draft: 0, attempt: null, chunks: new Map() };
}

/**
 * Decides about chunks of hosted calls, after the sent chunks:
 * - `send`: send the chunks that follow
 * - `wait` until a new run has made the same calls
 * - `superseded`: the sent chunks are not valid any more.
 */
export function decideHosted(sent: SentHosted, now: LatestHosted): 'send' | 'wait' | 'superseded' {
  const isCommitted = now.attempt === null;
  const isSameRun = now.draft === sent.draft && (isCommitted || now.attempt === sent.attempt);
  if (isSameRun && !isCommitted) return 'send';
  const likenesses = [...sent.chunks].map(([id, chunks]) => compareCall(now, { id, chunks, isSameRun }));
  if (likenesses.includes('different')) return 'superseded';
  if (!likenesses.includes('shorter')) return 'send';
  return isCommitted ? 'superseded' : 'wait';
}

/** Compares a call with its sent chunks. The run that sent them knows the same call. */
function compareCall(
  { round, calls }: LatestHosted,
  { id, chunks, isSameRun }: { id: string; chunks: UiChunk[]; isSameRun: boolean },
): 'same' | 'shorter' | 'different' {
  const call = calls.find((each) => each.id === id);
  if (!call) return 'shorter';
  if (isSameRun) return 'same';
  const known = hostedChunks(round, call);
  const isDifferent = chunks.some((chunk, at) => known[at] && JSON.stringify(chunk) !== JSON.stringify(known[at]));
  if (isDifferent) return 'different';
  return known.length < chunks.length ? 'shorter' : 'same';
}

/** Yields the chunks of hosted calls that were not sent. The state changes before a chunk is yielded. */
export function* sendHosted(sent: SentHosted, { round, draft, attempt, calls }: LatestHosted): Generator<UiChunk> {
  Object.assign(sent, { draft, attempt });
  for (const call of calls) {
    const chunks = sent.chunks.get(call.id) ?? [];
    sent.chunks.set(call.id, chunks);
    for (const chunk of hostedChunks(round, call).slice(chunks.length)) {
      chunks.push(chunk);
      yield chunk;
    }
  }
}
