import type { Emit } from '../explore/model.ts';
import { type Kept, plainModel } from '../explore/plain-model.ts';
import type { Left } from '../fault.ts';
import { type Table, TURNS, type Up, WORKER } from '../guards/guard.ts';
import { type Suite, suiteOf, withFaults } from '../suite.ts';

const QUEUE = `${TURNS}/delays/queue-delayed.ts`;
const PROMOTION = `${TURNS}/commits/promote-next.ts`;

/** The guards that give a delayed turn its position at its start time, and not earlier: R35. */
const delayGuards = {
  promotionLeavesDelayed: {
    ...{ rule: 'R35', file: PROMOTION },
    code: 'waiting.conversation_id = ended.conversation_id and waiting.position is not null',
    without: 'an end moves the next turn to the head before its start time',
    ...{ faults: {}, caught: 'a turn began before its start time' },
  },
  queuedUnderLock: {
    ...{ rule: 'R35', file: QUEUE, code: 'order by id for no key update skip locked' },
    without: 'a delayed turn waits for a head that has ended since the read',
    ...{ faults: {}, caught: 'stuck' },
  },
  queuedIsCounted: {
    ...{ rule: 'R35', file: QUEUE, code: 'update conversations set turns = turns + number' },
    without: 'an end that read no waiting turn before its lock misses a turn that has just been queued',
    ...{ faults: {}, caught: 'stuck' },
  },
  positionIsTakenThen: {
    ...{ rule: 'R35', file: `${TURNS}/create.ts`, code: 'case when not isDelayed then position end' },
    without: 'a delayed turn gets its position at its creation',
    ...{ faults: { create: 1 }, caught: 'a turn began after a turn that is based on it' },
  },
  clockQueues: {
    ...{ rule: 'R35', file: `${WORKER}/worker.ts`, code: 'every(timing.delayedEveryMs' },
    without: 'only its job queues a delayed turn',
    ...{ faults: { flush: 1 }, caught: 'stuck' },
  },
  databaseClockDecides: {
    ...{ rule: 'R35', file: QUEUE, code: 'position is null and completed_at is null and start_at <= now()' },
    without: 'a worker queues delayed turns by its own clock',
    ...{ faults: { skew: 1 }, caught: 'a turn began before its start time' },
  },
} satisfies Table;

type DelayGuards = Up<typeof delayGuards>;

/** A turn is delayed, has a position, is at the head or has ended. */
type DelayTurn = { at: 'delayed' | 'waiting' | 'head' | 'ended'; position: number | null };

type Look = { sawHead: boolean } | null;

/** A conversation with a running turn, a delayed turn, and a turn that may be requested in between. */
type DelayState = Kept & {
  first: DelayTurn;
  delayed: DelayTurn;
  other: DelayTurn | null;
  hasCome: boolean;
  /** The positions that were taken and the turns that were added. An end compares them with those that it saw. */
  positions: number;
  added: number;
  job: boolean;
  /** The state that the queuing worker saw before it had the lock, and the state that the end saw. */
  queuer: Look;
  end: { added: number; sawWaiting: boolean } | null;
};

/** The model of a delayed turn (R35). */
export const delaySuite: Suite = suiteOf({
  promise: 'a delayed turn begins after its start time, in its order',
  guards: delayGuards,
  modelOf: (guards: DelayGuards, { faults }: { faults: Left }) =>
    plainModel<DelayState>({
      first: {
        ...{ first: { at: 'head', position: 1 }, positions: guards.positionIsTakenThen ? 1 : 2, added: 1 },
        delayed: { at: 'delayed', position: guards.positionIsTakenThen ? null : 2 },
        ...{ other: null, hasCome: false, job: true, queuer: null, end: null },
      },
      faults,
      movesOf: (state, emit) => {
        emit('a turn is requested', addOther, 'create');
        emit('the queue loses all jobs', (after) => void Object.assign(after, { job: false }), 'flush');
        if (!state.hasCome) emit('the start time passes', (after) => void Object.assign(after, { hasCome: true }));
        moveQueuer(state, guards, emit);
        moveEnd(state, guards, emit);
      },
      isDone: (state) => turnsOf(state).every(({ at }) => at === 'ended'),
    }),
  scenes: ({ each }) => withFaults('delays', [{ flush: each, skew: each, create: 1 }]),
});

const turnsOf = ({ first, delayed, other }: DelayState) => [first, delayed, ...(other ? [other] : [])];
const hasHead = (state: DelayState) => turnsOf(state).some(({ at }) => at === 'head');

function addOther(after: DelayState): void {
  after.positions += 1;
  after.added += 1;
  after.other = { at: 'waiting', position: after.positions };
  if (!hasHead(after)) comeToHead(after, after.other);
}

/** Models `queue-delayed.ts`: one transaction under the lock of the conversation. */
function moveQueuer(state: DelayState, guards: DelayGuards, emit: Emit<DelayState>): void {
  const isCalled = guards.clockQueues || state.job;
  if (state.queuer)
    emit('a worker writes its decision', (after) => queue(after, after.queuer?.sawHead ?? false, guards));
  if (state.delayed.at !== 'delayed' || state.queuer || !isCalled) return;
  const look = (after: DelayState) => {
    after.job = false;
    if (guards.queuedUnderLock) queue(after, hasHead(after), guards);
    else after.queuer = { sawHead: hasHead(after) };
  };
  if (state.hasCome) emit('a worker queues the turn', look);
  else if (!guards.databaseClockDecides) emit('a worker with a fast clock queues the turn', look, 'skew');
}

function queue(after: DelayState, isHeadTaken: boolean, guards: DelayGuards): void {
  after.queuer = null;
  if (after.delayed.at !== 'delayed') return;
  if (guards.positionIsTakenThen) after.delayed.position = after.positions + 1;
  after.positions += Number(guards.positionIsTakenThen);
  if (guards.queuedIsCounted) after.added += 1;
  after.delayed.at = 'waiting';
  if (!isHeadTaken) comeToHead(after, after.delayed);
}

/**
 * Models `end.ts`: a statement reads before it has its lock, and writes if no turn was added since. Otherwise a
 * second statement writes.
 */
function moveEnd(state: DelayState, guards: DelayGuards, emit: Emit<DelayState>): void {
  if (!hasHead(state)) return;
  const sawWaiting = nextOf(state, guards) !== undefined;
  if (!state.end)
    emit(
      'the end reads the waiting turns',
      (after) => void Object.assign(after, { end: { added: after.added, sawWaiting } }),
    );
  else emit('the turn at the head ends', (after) => endHead(after, guards));
}

function endHead(after: DelayState, guards: DelayGuards): void {
  const isAlone = after.end?.added === after.added && !after.end.sawWaiting;
  const head = turnsOf(after).find(({ at }) => at === 'head');
  if (head) head.at = 'ended';
  after.end = null;
  const next = isAlone ? undefined : nextOf(after, guards);
  if (next) comeToHead(after, next);
}

function nextOf(state: DelayState, { promotionLeavesDelayed }: DelayGuards): DelayTurn | undefined {
  const waiting = turnsOf(state).filter(({ at }) => at === 'waiting' || (at === 'delayed' && !promotionLeavesDelayed));
  return waiting.sort((one, other) => (one.position ?? 9) - (other.position ?? 9))[0];
}

function comeToHead(after: DelayState, turn: DelayTurn): void {
  turn.at = 'head';
  if (turn === after.delayed && !after.hasCome) after.broken ??= 'a turn began before its start time';
  const isBehind = ({ at, position }: DelayTurn) => at === 'ended' && (position ?? 0) > (turn.position ?? 9);
  if (turnsOf(after).some(isBehind)) after.broken ??= 'a turn began after a turn that is based on it';
}
