import type { RunningReply } from '../responses/running-round.ts';
import { nothingTold, type RunningPieces, type ToldRound, tellRound } from '../responses/told.ts';
import { isTerminal, type Turn } from '../turn.ts';
import { type CompletionDelta, committedPieces, runningPieces } from './completion-pieces.ts';

/** How a stream ends: the completion is whole, it failed, or a second attempt replaced sent text. */
export type CompletionOutcome = 'whole' | 'failed' | 'superseded';

/** Sends a completion to one client, each delta once and in order. */
export type CompletionTeller = {
  /** Sends the new deltas. The reader may stop after any delta. The next call continues after it. */
  tell(turn: Turn, running: RunningReply | undefined): Generator<CompletionDelta>;
  /** Returns how the stream ends, or null until all deltas were sent. */
  end(): CompletionOutcome | null;
};

/** Makes the teller of one stream, which begins with the first delta. */
export function makeCompletionTeller(keep: RunningPieces<CompletionDelta> = (_, pieces) => pieces): CompletionTeller {
  const told: Told = { keep, rounds: 0, round: nothingTold(), end: null };
  return { tell: (turn, running) => tellOn(told, turn, running), end: () => told.end };
}

type Told = {
  keep: RunningPieces<CompletionDelta>;
  rounds: number;
  round: ToldRound<CompletionDelta>;
  end: CompletionOutcome | null;
};

function* tellOn(told: Told, turn: Turn, running: RunningReply | undefined): Generator<CompletionDelta> {
  if (told.end) return;
  for (let round = turn.rounds[told.rounds]; round; round = turn.rounds[told.rounds]) {
    const now = { edition: round.edition, attempt: null, isCommitted: true, pieces: committedPieces(turn, round) };
    const outcome = yield* tellRound(told.round, now);
    if (outcome === 'superseded') told.end = 'superseded';
    if (outcome !== 'tell') return;
    told.rounds += 1;
    told.round = nothingTold();
  }
  if (isTerminal(turn.status)) told.end = turn.status === 'failed' ? 'failed' : 'whole';
  else if (running?.round === told.rounds + 1) yield* tellRunning(told, turn, running);
}

function* tellRunning(told: Told, turn: Turn, running: RunningReply): Generator<CompletionDelta> {
  const { edition, attempt } = running;
  const now = { edition, attempt, isCommitted: false, pieces: runningPieces(turn, running) };
  const outcome = yield* tellRound(told.round, now, (pieces) => told.keep(running, pieces));
  if (outcome === 'superseded') told.end = 'superseded';
}
