import type { ListedTurn } from '../base/turn.ts';

/** Turns in the order of the history: the started turns by their start, then the turns that have not started. */
export function orderedTurns(turns: ListedTurn[]): ListedTurn[] {
  return turns.toSorted((a, b) => order(positionOf(a), positionOf(b)) || order(a.created_at, b.created_at));
}

function order(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function positionOf({
  started_at: startedAt,
  completed_at: completedAt,
  created_at: at,
  start_at: startAt,
}: ListedTurn) {
  // `~` sorts after every time.
  return startedAt ?? (completedAt ? at : `~${startAt ?? ''}`);
}

/** Whether a turn holds up its conversation: it runs or waits to run. A turn that starts later does not. */
export function isActive({ completed_at: completedAt, waiting }: ListedTurn): boolean {
  return completedAt === null && waiting?.for !== 'start_at';
}
