import type { RunningReply } from '../responses/running-round.ts';
import { nothingSent, type RunningPieces, type SentRound, sendRound } from '../responses/sent.ts';
import { isTerminal, type Turn } from '../turn.ts';
import { type CompletionDelta, committedPieces, runningPieces } from './completion-pieces.ts';

/** How a stream ends: the completion is whole, it failed, or a second attempt replaced sent text. */
export type CompletionOutcome = 'whole' | 'failed' | 'superseded';

/** Sends a completion to one client, each delta once and in order. */
export type CompletionSender = {
  /** Yields the new deltas to send. The reader may stop after any delta. The next call continues after it. */
  send(turn: Turn, running: RunningReply | undefined): Generator<CompletionDelta>;
  /** Returns how the stream ends, or null until all deltas were sent. */
  end(): CompletionOutcome | null;
};

/** Makes the sender of one stream, which begins with the first delta. */
export function makeCompletionSender(keep: RunningPieces<CompletionDelta> = (_, pieces) => pieces): CompletionSender {
  const progress: Progress = { keep, rounds: 0, round: nothingSent(), end: null };
  return { send: (turn, running) => sendNext(progress, turn, running), end: () => progress.end };
}

type Progress = {
  keep: RunningPieces<CompletionDelta>;
  rounds: number;
  round: SentRound<CompletionDelta>;
  end: CompletionOutcome | null;
};

function* sendNext(progress: Progress, turn: Turn, running: RunningReply | undefined): Generator<CompletionDelta> {
  if (progress.end) return;
  for (let round = turn.rounds[progress.rounds]; round; round = turn.rounds[progress.rounds]) {
    const now = { draft: round.draft, attempt: null, isCommitted: true, pieces: committedPieces(turn, round) };
    const outcome = yield* sendRound(progress.round, now);
    if (outcome === 'superseded') progress.end = 'superseded';
    if (outcome !== 'send') return;
    progress.rounds += 1;
    progress.round = nothingSent();
  }
  if (isTerminal(turn.status)) progress.end = turn.status === 'failed' ? 'failed' : 'whole';
  else if (running?.round === progress.rounds + 1) yield* sendRunning(progress, turn, running);
}

function* sendRunning(progress: Progress, turn: Turn, running: RunningReply): Generator<CompletionDelta> {
  const { draft, attempt } = running;
  const now = { draft, attempt, isCommitted: false, pieces: runningPieces(turn, running) };
  const outcome = yield* sendRound(progress.round, now, (pieces) => progress.keep(running, pieces));
  if (outcome === 'superseded') progress.end = 'superseded';
}
