import type { Firing, Schedule } from '../schedule/schedule.ts';
import { iso } from './iso.ts';

/** A schedule with its last firings, newest first, and the time of the database's clock. */
export type ListedSchedule = Schedule & { last: Firing[]; now: string };

export type ScheduleResource = ReturnType<typeof presentSchedule>;

/** Returns a schedule as callers see it, with its `next` planned times in milliseconds since 1970. */
export function presentSchedule(schedule: ListedSchedule, next: number[]) {
  const { nextAt, last } = schedule;
  return {
    id: schedule.id,
    object: 'schedule' as const,
    cron: schedule.cron,
    time_zone: schedule.timeZone,
    every_seconds: schedule.everySeconds,
    turn: schedule.turn,
    conversation_id: schedule.conversationId,
    enabled: nextAt !== null,
    if_missed: schedule.ifMissed,
    last: last.map(({ plannedAt, turnId, turnStatus, error }) => ({
      ...{ planned_at: iso(plannedAt), turn_id: turnId, turn_status: turnStatus, error },
    })),
    next: next.map((at) => new Date(at).toISOString()),
    created_at: iso(schedule.createdAt),
  };
}
