import type { ScheduledTurnRequest } from '../request/schedule.ts';
import type { TurnStatus } from '../turn.ts';

/** When a schedule fires: a cron expression by the clocks of a zone, or every so many seconds since a moment. */
export type Plan =
  | { kind: 'cron'; cron: string; timeZone: string }
  | { kind: 'every'; everySeconds: number; since: number };

/** Why a planned time started no turn: the refusal that a request would have got. */
export type FiringError = { code: string; message: string; param: string | null };

/** The result of a planned time: a turn, or an error. `turnStatus` is null if the turn is deleted. */
export type Firing = {
  plannedAt: string;
  turnId: string | null;
  turnStatus: TurnStatus | null;
  error: FiringError | null;
};

/** The plan of a schedule as its row has it: a cron expression with its zone, or seconds counted from `since`. */
export type StoredPlan = { cron: string | null; timeZone: string | null; everySeconds: number | null; since: string };

/** A schedule as it is stored; `nextAt` is null while it is disabled. Times are RFC 3339 or as PostgreSQL writes them. */
export type Schedule = StoredPlan & {
  id: string;
  project: string;
  keyId: string | null;
  turn: ScheduledTurnRequest;
  conversationId: string | null;
  ifMissed: 'once' | 'skip';
  nextAt: string | null;
  revision: number;
  createdAt: string;
};

/** The plan of a schedule, to ask for its times. */
export function planOf({ cron, timeZone, everySeconds, since }: StoredPlan): Plan {
  if (cron !== null) return { kind: 'cron', cron, timeZone: timeZone ?? 'UTC' };
  return { kind: 'every', everySeconds: everySeconds ?? 1, since: Date.parse(since) };
}
