import type { TurnRequestBody } from './turn-request.ts';

type PlanBody = {
  /** Minute, hour, day of the month, month, day of the week. This or `every_seconds`. */
  cron?: string | null | undefined;
  /** By whose clocks `cron` is read; UTC by default. */
  time_zone?: string | null | undefined;
  /** Counted from the creation. */
  every_seconds?: number | null | undefined;
  /** The conversation of its turns; each begins its own by default. */
  conversation_id?: string | null | undefined;
  enabled?: boolean | null | undefined;
  /** What more than 10 s late is: one turn for the newest of those (the default), or none. */
  if_missed?: 'once' | 'skip' | null | undefined;
};

/** The turn request of a schedule, without times of its own. */
export type ScheduledTurnBody = Omit<
  TurnRequestBody,
  'start_at' | 'delay_seconds' | 'debounce_ms' | 'on_active_turn'
> & {
  /** While another turn of the conversation is active: wait for it (the default), 409, or cancel it. */
  on_active_turn?: 'enqueue' | 'reject' | 'interrupt' | null | undefined;
};

/** The JSON body that creates a schedule. */
export type ScheduleRequestBody = PlanBody & { turn: ScheduledTurnBody };

/** The JSON body that changes a schedule: what is left out stays, a new plan counts from now. */
export type ScheduleChangeBody = PlanBody & { turn?: ScheduledTurnBody | undefined };

/** A schedule, with what came of its last 20 planned times, newest first, and the next 5. */
export type ScheduleResource = {
  id: string;
  object: 'schedule';
  cron: string | null;
  time_zone: string | null;
  every_seconds: number | null;
  turn: ScheduledTurnBody;
  conversation_id: string | null;
  enabled: boolean;
  if_missed: 'once' | 'skip';
  last: {
    planned_at: string;
    turn_id: string | null;
    error: { code: string; message: string; param: string | null } | null;
  }[];
  next: string[];
  created_at: string;
};
