import type { ScheduledTurnRequest } from '../request/schedule.ts';
import type { TurnStatus } from '../turn.ts';

/** When a schedule fires: by a cron expression in a time zone, or at an interval of seconds since a time. */
export type Plan =
  | { kind: 'cron'; cron: string; timeZone: string }
  | { kind: 'every'; everySeconds: number; since: number };

/** Why a planned time started no turn: the error of the equivalent request. */
export type FiringError = { code: string; message: string; param: string | null };

/** The result of a planned time: a turn, or an error. `turnStatus` is null if the turn is deleted. */
export type Firing = {
  plannedAt: string;
  turnId: string | null;
  turnStatus: TurnStatus | null;
  error: FiringError | null;
};

/** The plan of a schedule in its row: a cron expression with its zone, or seconds counted from `since`. */
export type StoredPlan = { cron: string | null; timeZone: string | null; everySeconds: number | null; since: string };

/** A schedule as it is stored. `nextAt` is null while it is disabled. Times are RFC 3339 or in PostgreSQL's format. */
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

export function planOf({ cron, timeZone, everySeconds, since }: StoredPlan): Plan {
  if (cron !== null) return { kind: 'cron', cron, timeZone: timeZone ?? 'UTC' };
  return { kind: 'every', everySeconds: everySeconds ?? 1, since: Date.parse(since) };
}
