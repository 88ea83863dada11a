import type { Model } from '../explore/model.ts';
import { type EmitPlain, type Left, plainModel } from '../explore/plain-model.ts';
import type { DelayFault } from './delay-fault.ts';
import type { DelayGuards } from './delay-guards.ts';

/** A turn is delayed, in the line, at its head or has ended. */
type DelayTurn = { at: 'delayed' | 'waiting' | 'head' | 'ended'; position: number | null };

type Look = { sawHead: boolean } | null;

/** A conversation with a turn at work, one whose time comes, and one that may be asked for meanwhile. */
type DelayState = {
  first: DelayTurn;
  delayed: DelayTurn;
  other: DelayTurn | null;
  hasCome: boolean;
  /** Positions that were taken, and turns that were added: what an end that has looked compares. */
  positions: number;
  added: number;
  job: boolean;
  /** What the worker that queues saw before it had the lock, and what the end did. */
  queuer: Look;
  end: { added: number; sawWaiting: boolean } | null;
  left: Left<DelayFault>;
  broken: string | null;
};

type Emit = EmitPlain<DelayState, DelayFault>;

/** The model of a delayed turn (R35). */
export function delayModel({ guards, left }: { guards: DelayGuards; left: Left<DelayFault> }): Model<DelayState> {
  return plainModel<DelayState, DelayFault>({
    first: {
      ...{ first: { at: 'head', position: 1 }, positions: guards.positionIsTakenThen ? 1 : 2, added: 1 },
      delayed: { at: 'delayed', position: guards.positionIsTakenThen ? null : 2 },
      ...{ other: null, hasCome: false, job: true, queuer: null, end: null, left, broken: null },
    },
    movesOf: (state, emit) => {
      emit('a turn is asked for', addOther, 'create');
      emit('the queue loses all', (after) => void Object.assign(after, { job: false }), 'flush');
      if (!state.hasCome) emit('the time comes', (after) => void Object.assign(after, { hasCome: true }));
      moveQueuer(state, guards, emit);
      moveEnd(state, guards, emit);
    },
    brokenIn: () => null,
    isDone: (state) => turnsOf(state).every(({ at }) => at === 'ended'),
  });
}

const turnsOf = ({ first, delayed, other }: DelayState) => [first, delayed, ...(other ? [other] : [])];
const hasHead = (state: DelayState) => turnsOf(state).some(({ at }) => at === 'head');

function addOther(after: DelayState): void {
  after.positions += 1;
  after.added += 1;
  after.other = { at: 'waiting', position: after.positions };
  if (!hasHead(after)) comeToHead(after, after.other);
}

/** `queue-delayed.ts`: one transaction under the lock of the conversation. */
function moveQueuer(state: DelayState, guards: DelayGuards, emit: Emit): void {
  const isCalled = guards.clockQueues || state.job;
  if (state.queuer)
    emit('a worker writes what it saw', (after) => queue(after, after.queuer?.sawHead ?? false, guards));
  if (state.delayed.at !== 'delayed' || state.queuer || !isCalled) return;
  const look = (after: DelayState) => {
    after.job = false;
    if (guards.queuedUnderLock) queue(after, hasHead(after), guards);
    else after.queuer = { sawHead: hasHead(after) };
  };
  if (state.hasCome) emit('a worker queues the turn', look);
  else if (!guards.databaseClockDecides) emit('a worker whose clock is ahead queues the turn', look, 'skew');
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

/** `end.ts`: a statement that looked before it had its lock, and writes where nothing has come since; else a second one. */
function moveEnd(state: DelayState, guards: DelayGuards, emit: Emit): void {
  if (!hasHead(state)) return;
  const sawWaiting = nextOf(state, guards) !== undefined;
  if (!state.end)
    emit('the end looks', (after) => void Object.assign(after, { end: { added: after.added, sawWaiting } }));
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
  if (turn === after.delayed && !after.hasCome) after.broken ??= 'a turn was begun before its time';
  const isBehind = ({ at, position }: DelayTurn) => at === 'ended' && (position ?? 0) > (turn.position ?? 9);
  if (turnsOf(after).some(isBehind)) after.broken ??= 'a turn was begun after one that stands on it';
}
