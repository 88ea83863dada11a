import type { RunningReply } from '../responses/running-round.ts';
import { nothingSent, type RunningPieces, type SentRound, tellRound } from '../responses/sent.ts';
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
  const sent: Sent = { keep, rounds: 0, round: nothingSent(), end: null };
  return { tell: (turn, running) => tellOn(sent, turn, running), end: () => sent.end };
}

type Sent = {
  keep: RunningPieces<CompletionDelta>;
  rounds: number;
  round: SentRound<CompletionDelta>;
  end: CompletionOutcome | null;
};

function* tellOn(sent: Sent, turn: Turn, running: RunningReply | undefined): Generator<CompletionDelta> {
  if (sent.end) return;
  for (let round = turn.rounds[sent.rounds]; round; round = turn.rounds[sent.rounds]) {
    const now = { draft: round.draft, attempt: null, isCommitted: true, pieces: committedPieces(turn, round) };
    const outcome = yield* tellRound(sent.round, now);
    if (outcome === 'superseded') sent.end = 'superseded';
    if (outcome !== 'tell') return;
    sent.rounds += 1;
    sent.round = nothingSent();
  }
  if (isTerminal(turn.status)) sent.end = turn.status === 'failed' ? 'failed' : 'whole';
  else if (running?.round === sent.rounds + 1) yield* tellRunning(sent, turn, running);
}

function* tellRunning(sent: Sent, turn: Turn, running: RunningReply): Generator<CompletionDelta> {
  const { draft, attempt } = running;
  const now = { draft, attempt, isCommitted: false, pieces: runningPieces(turn, running) };
  const outcome = yield* tellRound(sent.round, now, (pieces) => sent.keep(running, pieces));
  if (outcome === 'superseded') sent.end = 'superseded';
}
