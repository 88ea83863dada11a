import type { Left } from '../explore/plain-model.ts';
import type { GuardWords } from '../guards/guard.ts';
import type { ScheduleFault } from './schedule-fault.ts';

/** One condition that a schedule depends on, and the faults that show its lack. */
export type ScheduleGuard = GuardWords & { faults: Left<ScheduleFault>; caught: { broken: string } };

const FIRINGS = 'packages/core/checkpoint/schedules/firings.ts';
const FIRE = 'services/worker/schedules/fire-schedule.ts';
const twice = { broken: 'a planned time had two turns' };
const none = { broken: 'a planned time had no turn' };

/** What keeps each planned time to one turn: R36. */
export const scheduleGuards = {
  firingGoesWithTurn: {
    ...{ rule: 'R36', file: FIRE, code: 'await recordFiring(trx,' },
    without: 'the turn is committed before its firing is recorded',
    ...{ faults: { crash: 1 }, caught: twice },
  },
  turnGoesWithFiring: {
    ...{ rule: 'R36', file: FIRE, code: 'const outcome = await start(trx,' },
    without: 'the firing is recorded before its turn is committed',
    ...{ faults: { crash: 1 }, caught: none },
  },
  nextIsChecked: {
    ...{ rule: 'R36', file: FIRINGS, code: 'where id = id and next_at = nextAt and revision = revision' },
    without: 'a worker fires what it has read, whoever was there since',
    ...{ faults: {}, caught: twice },
  },
  changeIsSeen: {
    ...{
      rule: 'R36',
      file: 'packages/core/checkpoint/schedules/schedules.ts',
      code: 'update schedules set revision = revision + 1',
    },
    without: 'a worker starts the turn that it has read, whatever has been changed since',
    ...{ faults: { change: 1 }, caught: { broken: 'a turn was started that the schedule no longer had' } },
  },
  nextFollowsPlanned: {
    ...{
      rule: 'R36',
      file: 'packages/core/schedule/decide-firing.ts',
      code: 'return plannedAt: nextAt, nextAt: nextTime(plan, nextAt)',
    },
    without: 'the next time is the first after now',
    ...{ faults: {}, caught: none },
  },
  databaseClockFires: {
    ...{ rule: 'R36', file: FIRINGS, code: 'where next_at <= now() order by next_at' },
    without: 'a worker fires what has come by its own clock',
    ...{ faults: { skew: 1 }, caught: { broken: 'a turn was started before its planned time' } },
  },
} satisfies Record<string, ScheduleGuard>;

/** Which guards are up. */
export type ScheduleGuards = Readonly<Record<keyof typeof scheduleGuards, boolean>>;
