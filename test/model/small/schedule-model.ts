import { type Kept, plainModel } from '../explore/plain-model.ts';
import type { Left } from '../fault.ts';
import { CHECKPOINT, type Table, type Up, WORKER } from '../guards/guard.ts';
import { type MayRun, moveRuns } from '../shared/move-runs.ts';
import { type Suite, suiteOf, withFaults } from '../suite.ts';

const FIRINGS = `${CHECKPOINT}/schedules/firings.ts`;
const FIRE = `${WORKER}/schedules/fire-schedule.ts`;
const twice = 'a planned time had two turns';
const none = 'a planned time had no turn';

/** The guards that keep each planned time to one turn: R36. */
const scheduleGuards = {
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
    without: 'a worker fires a schedule although another worker has fired it since the read',
    ...{ faults: {}, caught: twice },
  },
  changeIsSeen: {
    ...{ rule: 'R36', file: `${CHECKPOINT}/schedules/schedules.ts` },
    code: 'update schedules set revision = revision + 1',
    without: 'a worker starts the turn that it has read although the schedule has changed',
    ...{ faults: { change: 1 }, caught: 'a turn was started from an outdated schedule' },
  },
  nextFollowsPlanned: {
    ...{ rule: 'R36', file: 'packages/core/schedule/next-time.ts' },
    code: 'return plannedAt: nextAt, nextAt: nextTime(plan, nextAt)',
    without: 'the next time is computed from now',
    ...{ faults: {}, caught: none },
  },
  databaseClockFires: {
    ...{ rule: 'R36', file: FIRINGS, code: 'where next_at <= now() order by next_at' },
    without: 'a worker fires schedules by its own clock',
    ...{ faults: { skew: 1 }, caught: 'a turn was started before its planned time' },
  },
} satisfies Table;

type ScheduleGuards = Up<typeof scheduleGuards>;

/** The values that a worker has read of the schedule, and its part of a firing with several commits. */
type Read = { nextAt: number; turn: number; revision: number; half: 'none' | 'started' | 'recorded' };

/** A schedule with three planned times, and two workers that check it. */
type ScheduleState = Kept & {
  now: number;
  nextAt: number;
  /** The turn of the schedule, and the revision that shows a change. */
  turn: number;
  revision: number;
  turns: number[];
  runs: (Read | null)[];
};

const TIMES = 3;

/** The model of a schedule (R36). */
export const scheduleSuite: Suite = suiteOf({
  promise: 'each planned time of a schedule starts one turn',
  guards: scheduleGuards,
  modelOf: (guards: ScheduleGuards, { faults }: { faults: Left }) =>
    plainModel<ScheduleState>({
      first: {
        now: 0,
        nextAt: 1,
        turn: 0,
        revision: 0,
        turns: Array.from({ length: TIMES + 1 }, () => 0),
        runs: [null, null],
      },
      faults,
      movesOf: (state, emit) => {
        if (state.now < TIMES) emit('time passes', (after) => Object.assign(after, { now: after.now + 1 }));
        emit('the turn is changed', (after) => changeTurn(after, guards), 'change');
        moveRuns(state, emit, (read, may, slot) => moveWorker(state, { read, slot, guards, may }));
      },
      brokenIn: ({ turns, nextAt, runs }) => {
        if (turns.some((count) => count > 1)) return 'a planned time had two turns';
        const isLost = (count: number, at: number) => at > 0 && at < nextAt && count === 0 && !isUnderWay(runs, at);
        return turns.some(isLost) ? 'a planned time had no turn' : null;
      },
      isDone: ({ now, nextAt, runs }) => now === TIMES && nextAt > TIMES && runs.every((read) => read === null),
    }),
  scenes: ({ each }) => withFaults('schedules', [{ crash: each + 1, skew: each, change: each + 1 }]),
});

const isUnderWay = (runs: ScheduleState['runs'], at: number) =>
  runs.some((read) => read?.nextAt === at && read.half === 'recorded');

function changeTurn(after: ScheduleState, guards: ScheduleGuards): void {
  after.turn += 1;
  if (guards.changeIsSeen) after.revision += 1;
}

type Mover = { read: Read | null; slot: number; guards: ScheduleGuards; may: MayRun<ScheduleState> };

function moveWorker(state: ScheduleState, { read, slot, guards, may }: Mover): void {
  const put = (after: ScheduleState, own: Read | null) => void after.runs.splice(slot, 1, own);
  if (read) {
    may('dies', (_, after) => put(after, null), 'crash');
    may('commits', (_, after) => put(after, commit(after, read, guards)));
    return;
  }
  const look = (_: unknown, after: ScheduleState) => {
    const { nextAt, turn, revision } = after;
    put(after, { nextAt, turn, revision, half: 'none' });
  };
  if (state.nextAt > TIMES) return;
  if (state.nextAt <= state.now) may('reads the schedule, which is due', look);
  else if (!guards.databaseClockFires) may('reads the schedule with a fast clock', look, 'skew');
}

/** Models `fire-schedule.ts`: one transaction under the lock of the schedule. Returns the worker's remaining work. */
function commit(after: ScheduleState, read: Read, guards: ScheduleGuards): Read | null {
  if (read.half === 'started') record(after, read, guards);
  else if (read.half === 'recorded') start(after, read);
  else if (isRefused(after, read, guards)) return null;
  else if (!guards.firingGoesWithTurn) return start(after, read) && { ...read, half: 'started' };
  else if (!guards.turnGoesWithFiring) return record(after, read, guards) && { ...read, half: 'recorded' };
  else return start(after, read) && record(after, read, guards) && null;
  return null;
}

function isRefused({ nextAt, revision }: ScheduleState, read: Read, guards: ScheduleGuards): boolean {
  return guards.nextIsChecked && (nextAt !== read.nextAt || revision !== read.revision);
}

function start(after: ScheduleState, read: Read): true {
  after.turns[read.nextAt] = (after.turns[read.nextAt] ?? 0) + 1;
  if (read.nextAt > after.now) after.broken ??= 'a turn was started before its planned time';
  if (read.half === 'none' && read.turn !== after.turn) after.broken ??= 'a turn was started from an outdated schedule';
  return true;
}

function record(after: ScheduleState, read: Read, guards: ScheduleGuards): true {
  after.nextAt = guards.nextFollowsPlanned ? read.nextAt + 1 : Math.max(read.nextAt, after.now) + 1;
  return true;
}
