import type { EmitPlain } from '../explore/plain-model.ts';
import type { TierGuards } from './tier-guards.ts';
import { runIn, type TierFault, type TierRun, type TierState } from './tier-state.ts';
import {
  acquireLease,
  afterFailure,
  afterRefusal,
  beginRound,
  changeTier,
  failTurn,
  leaveSlot,
  mayRenewLease,
  postponeRound,
  rescueTurn,
  saveReply,
  type TierWrite,
  takeLease,
  waitForCapacity,
} from './tier-writes.ts';

type Emit = EmitPlain<TierState, TierFault>;
type May = (verb: string, change: (write: TierWrite) => void, fault?: TierFault) => void;

/** Emits all that may happen next to a turn on `flex`. */
export function movesOfTiers(state: TierState, guards: TierGuards, emit: Emit): void {
  passTime(state, emit);
  sufferQueue(state, emit);
  if (state.turn.due === 'late') emit('the rescuer enqueues the turn', rescueTurn);
  state.runs.forEach((run, slot) => {
    const may: May = (verb, change, fault) =>
      emit(`w${slot + 1} ${verb}`, (after) => change({ state: after, slot, guards }), fault);
    if (run.at === 'idle') takeJobs(state, slot, may);
    else moveRun(state, { run, slot, may });
  });
}

/** A lease expires once its run is dead or asleep; a turn is late once nobody is on it, or its job waits for long. */
function passTime({ turn, runs, queue, isLate }: TierState, emit: Emit): void {
  if (turn.status !== 'active') return;
  if (!isLate) emit('the deadline is near', (after) => Object.assign(after, { isLate: true }), 'late');
  const owner = typeof turn.owner === 'number' ? runs[turn.owner] : undefined;
  if (turn.lease === 'live' && (!owner || owner.isAsleep)) {
    emit('the lease expires', (after) => Object.assign(after.turn, { lease: 'expired', due: 'late' }));
  }
  if (turn.lease === 'live' || turn.due !== 'far') return;
  if (runs.some((run) => run.at === 'asking' && run.isFresh && !run.isAsleep)) return;
  const becomeLate = (after: TierState) => Object.assign(after.turn, { due: 'late' });
  emit('the turn is late', becomeLate, queue.now ? 'backlog' : undefined);
}

function sufferQueue({ queue }: TierState, emit: Emit): void {
  if (!queue.now)
    emit('the job is handed out again', (after) => Object.assign(after.queue, { now: true }), 'duplicate');
  if (!queue.old) emit('an old job comes again', (after) => Object.assign(after.queue, { old: true }), 'duplicate');
  if (queue.now) emit('the queue loses its jobs', (after) => Object.assign(after, { queue: NO_JOBS }), 'flush');
}

const NO_JOBS = { now: false, old: false };

/** `work-turn.ts`: the turn as it is, or as the first worker's own commit left it (R3). */
function takeJobs({ queue, turn, cached }: TierState, slot: number, may: May): void {
  for (const name of ['now', 'old'] as const) {
    if (!queue[name]) continue;
    const begin = (as: 'read' | 'cached') => (write: TierWrite) => {
      write.state.queue[name] = false;
      if (slot === 0) write.state.cached = 0;
      load(write, as);
    };
    may(`takes the ${name === 'now' ? '' : 'old '}job`, begin('read'));
    const isFirst = name === 'old' || !turn.isRaised;
    if (slot === 0 && cached === turn.round && isFirst) may(`takes the ${name} job, from its cache`, begin('cached'));
  }
}

/** A run asks on the tier that its row names: nothing else makes it ask on another. */
function load(write: TierWrite, as: 'read' | 'cached'): void {
  const { state, slot } = write;
  const { turn, isLate } = state;
  if (as === 'read' && (turn.status !== 'active' || turn.lease === 'live')) return;
  const { round, tier, refusals, attempts } = turn;
  const isUncontended = !turn.isRaised && turn.owner === 'none' && turn.due === 'far';
  const known = as === 'cached' ? UNTRIED : { tier, refusals, attempts };
  Object.assign(runIn(state, slot), { round, ...known, isLate, isFresh: as === 'read' || !turn.isRaised });
  if (as === 'cached' || isUncontended) beginRound(write);
  else runIn(state, slot).at = 'wants-lease';
}

const UNTRIED = { tier: 'flex', refusals: 0, attempts: 0 };

type Mover = { run: TierRun; slot: number; may: May };

function moveRun(state: TierState, mover: Mover): void {
  const { run, slot, may } = mover;
  may('dies', die, 'crash');
  if (run.isAsleep) {
    may('wakes', (by) => void Object.assign(runIn(by.state, by.slot), { isAsleep: false }));
    return;
  }
  may('falls asleep', (by) => void Object.assign(runIn(by.state, by.slot), { isAsleep: true }), 'stall');
  if (run.at === 'wants-lease') {
    may('takes the lease', (by) => (takeLease(by) ? beginRound(by) : leaveSlot(by.state, slot)));
    return;
  }
  beat(state, mover);
  if (run.at === 'asking') hear(mover);
  write(mover);
}

/** A dead run's job is handed out again. */
function die({ state, slot }: TierWrite): void {
  leaveSlot(state, slot);
  state.queue.old = true;
}

/** `heartbeat.ts` (R4). */
function beat(state: TierState, { run, slot, may }: Mover): void {
  if (!mayRenewLease(state, slot)) {
    if (!run.isLost) may('has lost its step', (by) => void Object.assign(runIn(by.state, by.slot), { isLost: true }));
    return;
  }
  const { lease, due } = state.turn;
  const isNeeded = !run.knowsLease || lease !== 'live' || due !== 'far';
  if (isNeeded) may('beats', (by) => void acquireLease(by));
}

/** What the provider says: only a request on `flex` is refused for lack of capacity. */
function hear({ run, may }: Mover): void {
  may('gets a reply', (by) => void Object.assign(runIn(by.state, by.slot), { at: 'saving' }));
  if (run.isLost) {
    may('stops', (by) => leaveSlot(by.state, by.slot));
    return;
  }
  may('gets no reply now', afterFailure, 'later');
  if (run.tier === 'flex') may('is refused for lack of capacity', afterRefusal, 'refused');
}

const WRITES = {
  ...{ saving: saveReply, waiting: waitForCapacity, postponing: postponeRound },
  ...{ changing: changeTier, failing: failTurn },
};

/** `retry-transient.ts`: a commit whose answer is lost is made again. */
function write({ run, may }: Mover): void {
  if (run.at === 'idle' || run.at === 'wants-lease' || run.at === 'asking') return;
  const commit = WRITES[run.at];
  may(`commits (${run.at})`, (by) => {
    commit(by);
    leaveSlot(by.state, by.slot);
  });
  may(`commits (${run.at}), the answer is lost`, commit, 'lostAck');
}
