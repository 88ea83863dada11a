import { latestCalls } from './call.ts';
import { type Final, leftOutputTokens, reachedLimit } from './reached-limit.ts';
import { MAX_SILENT_STARTS } from './timing.ts';
import { isTerminal, lacksSlot, type ToolCall, type Turn } from './turn.ts';

/** The next step of a turn. `final` is the reason why a round is the last round, which may call no tool. */
export type NextStep =
  | { kind: 'run-round'; round: number; final: Final | null }
  | { kind: 'run-tool-batch'; round: number; calls: ToolCall[] }
  | { kind: 'wait'; calls: ToolCall[] }
  | { kind: 'end'; because: EndingReason }
  | { kind: 'nothing' };

/** Why a turn ends without another round. `no-tokens`: its rounds have used all output tokens of the turn. */
export type EndingReason = 'deadline' | 'poison' | 'hand-over' | 'no-tokens';

export type RoundStep = Extract<NextStep, { kind: 'run-round' }>;

/**
 * Decides the next step of a turn from stored data only. A worker calls it at the start of a job and after every
 * checkpoint. So a job may be lost, late or duplicated without harm. A turn without a slot has no step (R27).
 */
export function nextStep(turn: Turn): NextStep {
  if (isTerminal(turn.status)) return { kind: 'nothing' };
  if (turn.work.overdue) return { kind: 'end', because: 'deadline' };
  if (!turn.work.atHead || lacksSlot(turn)) return { kind: 'nothing' };
  if (turn.work.starts >= MAX_SILENT_STARTS) return { kind: 'end', because: 'poison' };

  const open = openCalls(turn);
  const ready = open.filter((call) => !isWaiting(call));
  if (ready.length > 0) return { kind: 'run-tool-batch', round: turn.rounds.length, calls: ready };
  if (open.length > 0) return { kind: 'wait', calls: open };
  if (isHandedOver(turn)) return { kind: 'end', because: 'hand-over' };
  if (leftOutputTokens(turn) === 0) return { kind: 'end', because: 'no-tokens' };
  return { kind: 'run-round', round: turn.rounds.length + 1, final: reachedLimit(turn) };
}

/** Returns whether a call waits for a client's output or a person's approval. */
export function isWaiting({ waitsFor, expired, result }: ToolCall): boolean {
  return waitsFor !== null && !expired && result === null;
}

/** Returns whether the caller answers calls of the last round in a later turn. Then this turn ends (R19). */
export function isHandedOver({ rounds }: Pick<Turn, 'rounds'>): boolean {
  return rounds.at(-1)?.calls.some(({ result }) => result?.status === 'handed_over') ?? false;
}

/** Returns the calls of the last batch without a result, in order. */
function openCalls(turn: Turn): ToolCall[] {
  return latestCalls(turn).filter((call) => call.result === null);
}
