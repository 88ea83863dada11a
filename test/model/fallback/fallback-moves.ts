import type { EmitPlain } from '../explore/plain-model.ts';
import type { FallbackGuards } from './fallback-guards.ts';
import { type FallbackFault, type FallbackRun, type FallbackState, LAST_MODEL, runIn } from './fallback-state.ts';
import {
  acquireLease,
  afterFailure,
  askModel,
  changeModel,
  type FallbackWrite,
  failTurn,
  leaveSlot,
  mayRenewLease,
  postponeRound,
  rescueTurn,
  retryTurn,
  saveReply,
  takeLease,
} from './fallback-writes.ts';

type Emit = EmitPlain<FallbackState, FallbackFault>;
type May = (verb: string, change: (write: FallbackWrite) => void, fault?: FallbackFault) => void;

/** Emits all that may happen next to a round. */
export function movesOfFallback(state: FallbackState, guards: FallbackGuards, emit: Emit): void {
  passTime(state, emit);
  sufferQueue(state, emit);
  if (state.turn.due === 'late') emit('the rescuer enqueues the turn', rescueTurn);
  if (state.turn.status === 'failed') emit('a caller retries', retryTurn, 'retry');
  state.runs.forEach((run, slot) => {
    const may: May = (verb, change, fault) =>
      emit(`w${slot + 1} ${verb}`, (after) => change({ state: after, slot, guards }), fault);
    if (run.at === 'idle') takeJobs(state, slot, may);
    else moveRun(state, { run, slot, guards, may });
  });
}

/** A lease expires once its run is dead or asleep; a turn is late once nobody is on it, or its job waits for long. */
function passTime({ turn, runs, queue }: FallbackState, emit: Emit): void {
  if (turn.status !== 'active') return;
  const owner = typeof turn.owner === 'number' ? runs[turn.owner] : undefined;
  if (turn.lease === 'live' && (!owner || owner.isAsleep)) {
    emit('the lease expires', (after) => Object.assign(after.turn, { lease: 'expired', due: 'late' }));
  }
  if (turn.lease === 'live' || turn.due !== 'far') return;
  if (runs.some((run) => run.at === 'asking' && run.isFresh && !run.isAsleep)) return;
  const isLate = (after: FallbackState) => Object.assign(after.turn, { due: 'late' });
  emit('the turn is late', isLate, queue.now ? 'backlog' : undefined);
}

function sufferQueue({ queue }: FallbackState, emit: Emit): void {
  if (!queue.now)
    emit('the job is handed out again', (after) => Object.assign(after.queue, { now: true }), 'duplicate');
  if (!queue.old) emit('an old job comes again', (after) => Object.assign(after.queue, { old: true }), 'duplicate');
  if (queue.now) emit('the queue loses its jobs', (after) => Object.assign(after, { queue: NO_JOBS }), 'flush');
}

const NO_JOBS = { now: false, old: false };

/** `work-turn.ts`: the turn as it is, or as the first worker's own commit left it (R3). */
function takeJobs({ queue, turn, isCached }: FallbackState, slot: number, may: May): void {
  for (const name of ['now', 'old'] as const) {
    if (!queue[name]) continue;
    const begin = (as: 'read' | 'cached') => (write: FallbackWrite) => {
      write.state.queue[name] = false;
      if (slot === 0) write.state.isCached = false;
      load(write, as);
    };
    may(`takes the ${name === 'now' ? '' : 'old '}job`, begin('read'));
    const isFirst = name === 'old' || !turn.isRaised;
    if (slot === 0 && isCached && isFirst) may(`takes the ${name} job, from its cache`, begin('cached'));
  }
}

/** A run asks the model that its row names: nothing else makes it ask another. */
function load({ state, slot }: FallbackWrite, as: 'read' | 'cached'): void {
  const { turn } = state;
  if (as === 'read' && (turn.status !== 'active' || turn.lease === 'live')) return;
  const isUncontended = !turn.isRaised && turn.owner === 'none' && turn.due === 'far';
  const known = as === 'cached' ? { model: 0, attempts: 0 } : { model: turn.model, attempts: turn.attempts };
  Object.assign(runIn(state, slot), { ...known, isFresh: as === 'read' || !turn.isRaised });
  if (as === 'cached' || isUncontended) askModel(state, slot);
  else runIn(state, slot).at = 'wants-lease';
}

type Mover = { run: FallbackRun; slot: number; guards: FallbackGuards; may: May };

function moveRun(state: FallbackState, mover: Mover): void {
  const { run, slot, may } = mover;
  may('dies', die, 'crash');
  if (run.isAsleep) {
    may('wakes', (by) => void Object.assign(runIn(by.state, by.slot), { isAsleep: false }));
    return;
  }
  may('falls asleep', (by) => void Object.assign(runIn(by.state, by.slot), { isAsleep: true }), 'stall');
  if (run.at === 'wants-lease') {
    may('takes the lease', (by) => (takeLease(by) ? askModel(by.state, by.slot) : leaveSlot(by.state, slot)));
    return;
  }
  beat(state, mover);
  if (run.at === 'asking') hear(mover);
  write(mover);
}

/** A dead run's job is handed out again. */
function die({ state, slot }: FallbackWrite): void {
  leaveSlot(state, slot);
  state.queue.old = true;
}

/** `heartbeat.ts` (R4). */
function beat(state: FallbackState, { run, slot, may }: Mover): void {
  if (!mayRenewLease(state, slot)) {
    if (!run.isLost) may('has lost its step', (by) => void Object.assign(runIn(by.state, by.slot), { isLost: true }));
    return;
  }
  const { lease, due } = state.turn;
  const isNeeded = !run.knowsLease || lease !== 'live' || due !== 'far';
  if (isNeeded) may('beats', (by) => void acquireLease(by));
}

/** What the model says, or that it does not. */
function hear({ run, guards, may }: Mover): void {
  for (const isAnswer of [false, true]) {
    const heard = { at: 'saving', isAnswer };
    may(isAnswer ? 'gets an answer' : 'gets calls', (by) => void Object.assign(runIn(by.state, by.slot), heard));
  }
  if (run.isLost) {
    may('stops', (by) => leaveSlot(by.state, by.slot));
    return;
  }
  may('gets no reply now', (by) => leaveOr(by, afterFailure(by), guards), 'later');
  const next = run.model < LAST_MODEL ? 'changing' : 'failing';
  may('gets an error for good', (by) => leaveOr(by, next, guards), 'definite');
}

function leaveOr(by: FallbackWrite, at: FallbackRun['at'], guards: FallbackGuards): void {
  const run = runIn(by.state, by.slot);
  run.at = at;
  if (at !== 'changing' || guards.changeIsCommittedFirst) return;
  run.model += 1;
  askModel(by.state, by.slot);
}

const WRITES = { saving: saveReply, postponing: postponeRound, changing: changeModel, failing: failTurn };

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
