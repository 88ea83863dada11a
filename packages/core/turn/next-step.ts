import { latestCalls } from './call.ts';
import { type Final, leftOutputTokens, reachedLimit } from './reached-limit.ts';
import { MAX_SILENT_STARTS } from './timing.ts';
import { isTerminal, lacksPlace, type ToolCall, type Turn } from './turn.ts';

/** The next step of a turn. `final` is the reason for which a round is the last one; it may call no tool. */
export type NextStep =
  | { kind: 'run-round'; round: number; final: Final | null }
  | { kind: 'run-tool-batch'; round: number; calls: ToolCall[] }
  | { kind: 'wait'; calls: ToolCall[] }
  | { kind: 'end'; because: EndingReason }
  | { kind: 'nothing' };

/** Why a turn ends without another round. `no-tokens`: none is left of the output tokens that all its rounds may use. */
export type EndingReason = 'deadline' | 'poison' | 'hand-over' | 'no-tokens';

export type RoundStep = Extract<NextStep, { kind: 'run-round' }>;

/**
 * Decides what a turn needs next, from what is stored alone. A worker calls it when a job starts and after every
 * checkpoint, so a job may be lost, late or doubled without harm. A turn that waits for a place needs nothing before (R27).
 */
export function nextStep(turn: Turn): NextStep {
  if (isTerminal(turn.status)) return { kind: 'nothing' };
  if (turn.work.overdue) return { kind: 'end', because: 'deadline' };
  if (!turn.work.atHead || lacksPlace(turn)) return { kind: 'nothing' };
  if (turn.work.starts >= MAX_SILENT_STARTS) return { kind: 'end', because: 'poison' };

  const open = openCalls(turn);
  const ready = open.filter((call) => !isWaiting(call));
  if (ready.length > 0) return { kind: 'run-tool-batch', round: turn.rounds.length, calls: ready };
  if (open.length > 0) return { kind: 'wait', calls: open };
  if (isHandedOver(turn)) return { kind: 'end', because: 'hand-over' };
  if (leftOutputTokens(turn) === 0) return { kind: 'end', because: 'no-tokens' };
  return { kind: 'run-round', round: turn.rounds.length + 1, final: reachedLimit(turn) };
}

/** Whether a call still waits for a client's output or a person's approval. */
export function isWaiting({ waitsFor, expired, result }: ToolCall): boolean {
  return waitsFor !== null && !expired && result === null;
}

/** Whether the caller answers calls of the last round in a later turn: then this one is over (R19). */
export function isHandedOver({ rounds }: Pick<Turn, 'rounds'>): boolean {
  return rounds.at(-1)?.calls.some(({ result }) => result?.status === 'handed_over') ?? false;
}

/** The calls of the last batch that have no result yet, in order. */
function openCalls(turn: Turn): ToolCall[] {
  return latestCalls(turn).filter((call) => call.result === null);
}
