import type { Model } from '../explore/model.ts';
import { type EmitPlain, type Left, plainModel } from '../explore/plain-model.ts';
import type { ScheduleFault } from './schedule-fault.ts';
import type { ScheduleGuards } from './schedule-guards.ts';

/** What a worker has read of the schedule, and what it has committed of a firing that is not one commit. */
type Read = { nextAt: number; turn: number; revision: number; half: 'none' | 'started' | 'recorded' };

/** A schedule with three planned times, and two workers that look. */
type ScheduleState = {
  now: number;
  nextAt: number;
  /** The turn that the schedule has, and what says that it was changed. */
  turn: number;
  revision: number;
  /** Turns of each planned time. */
  turns: number[];
  workers: (Read | null)[];
  left: Left<ScheduleFault>;
  broken: string | null;
};

type Emit = EmitPlain<ScheduleState, ScheduleFault>;

const TIMES = 3;

/** The model of a schedule (R36). */
export function scheduleModel({
  guards,
  left,
}: {
  guards: ScheduleGuards;
  left: Left<ScheduleFault>;
}): Model<ScheduleState> {
  return plainModel<ScheduleState, ScheduleFault>({
    first: {
      ...{ now: 0, nextAt: 1, turn: 0, revision: 0, turns: Array.from({ length: TIMES + 1 }, () => 0) },
      ...{ workers: [null, null], left, broken: null },
    },
    movesOf: (state, emit) => {
      if (state.now < TIMES) emit('time passes', (after) => Object.assign(after, { now: after.now + 1 }));
      emit('the turn is changed', (after) => changeTurn(after, guards), 'change');
      state.workers.forEach((read, slot) => {
        moveWorker(state, { read, slot, guards }, emit);
      });
    },
    brokenIn: ({ turns, nextAt, workers }) => {
      if (turns.some((count) => count > 1)) return 'a planned time had two turns';
      const isLost = (count: number, at: number) => at > 0 && at < nextAt && count === 0 && !isUnderWay(workers, at);
      return turns.some(isLost) ? 'a planned time had no turn' : null;
    },
    isDone: ({ now, nextAt, workers }) => now === TIMES && nextAt > TIMES && workers.every((read) => read === null),
  });
}

const isUnderWay = (workers: ScheduleState['workers'], at: number) =>
  workers.some((read) => read?.nextAt === at && read.half === 'recorded');

function changeTurn(after: ScheduleState, guards: ScheduleGuards): void {
  after.turn += 1;
  if (guards.changeIsSeen) after.revision += 1;
}

type Mover = { read: Read | null; slot: number; guards: ScheduleGuards };

function moveWorker(state: ScheduleState, { read, slot, guards }: Mover, emit: Emit): void {
  const move = (verb: string, change: (after: ScheduleState) => void, fault?: ScheduleFault) =>
    emit(`w${slot + 1} ${verb}`, change, fault);
  const put = (after: ScheduleState, own: Read | null) => void after.workers.splice(slot, 1, own);
  if (read) {
    move('dies', (after) => put(after, null), 'crash');
    move('commits', (after) => put(after, commit(after, read, guards)));
    return;
  }
  const look = (after: ScheduleState) =>
    put(after, { nextAt: after.nextAt, turn: after.turn, revision: after.revision, half: 'none' });
  if (state.nextAt > TIMES) return;
  if (state.nextAt <= state.now) move('reads the schedule, which is due', look);
  else if (!guards.databaseClockFires) move('reads the schedule by a clock that is ahead', look, 'skew');
}

/** `fire-schedule.ts`: one transaction under the lock of the schedule; what the worker has left to do after it. */
function commit(after: ScheduleState, read: Read, guards: ScheduleGuards): Read | null {
  if (read.half === 'started') record(after, read, guards);
  else if (read.half === 'recorded') start(after, read);
  else if (isRefused(after, read, guards)) return null;
  else if (!guards.firingGoesWithTurn) return start(after, read) && { ...read, half: 'started' };
  else if (!guards.turnGoesWithFiring) return record(after, read, guards) && { ...read, half: 'recorded' };
  else return start(after, read) && record(after, read, guards) && null;
  return null;
}

/** Whether the row is no longer as it was read. */
function isRefused({ nextAt, revision }: ScheduleState, read: Read, guards: ScheduleGuards): boolean {
  return guards.nextIsChecked && (nextAt !== read.nextAt || revision !== read.revision);
}

function start(after: ScheduleState, read: Read): true {
  after.turns[read.nextAt] = (after.turns[read.nextAt] ?? 0) + 1;
  if (read.nextAt > after.now) after.broken ??= 'a turn was started before its planned time';
  if (read.half === 'none' && read.turn !== after.turn)
    after.broken ??= 'a turn was started that the schedule no longer had';
  return true;
}

function record(after: ScheduleState, read: Read, guards: ScheduleGuards): true {
  after.nextAt = guards.nextFollowsPlanned ? read.nextAt + 1 : Math.max(read.nextAt, after.now) + 1;
  return true;
}
