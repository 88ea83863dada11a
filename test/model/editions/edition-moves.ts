import type { EmitPlain } from '../explore/plain-model.ts';
import type { EditionGuards } from './edition-guards.ts';
import type { EditionFault, EditionRun, EditionState } from './edition-state.ts';
import {
  acquire,
  failEdition,
  leaveSlot,
  mayRenewEdition,
  postponeEdition,
  type RunWrite,
  rescueEdition,
  retryEdition,
  runOf,
  saveReply,
  takeEditionLease,
  tellPiece,
} from './edition-writes.ts';

type Emit = EmitPlain<EditionState, EditionFault>;

/** Emits all that may happen next to a round. */
export function movesOfEdition(state: EditionState, guards: EditionGuards, emit: Emit): void {
  passTime(state, emit);
  sufferQueue(state, emit);
  if (state.turn.due === 'late') emit('the rescuer enqueues the turn', rescueEdition);
  if (state.turn.status === 'failed') emit('a caller retries', (after) => retryEdition(after, guards), 'retry');
  state.runs.forEach((run, slot) => {
    const may: May = (verb, change, fault) =>
      emit(`w${slot + 1} ${verb}`, (after) => change({ state: after, slot, guards }), fault);
    if (run.at === 'idle') takeJobs(state, slot, may);
    else moveRun(state, { slot, guards, may });
  });
}

type May = (verb: string, change: (write: RunWrite) => void, fault?: EditionFault) => void;
type Mover = { slot: number; guards: EditionGuards; may: May };

/** A lease expires once its run is dead or asleep; a turn is late once nobody is on it, or its job waits for long. */
function passTime({ turn, runs, queue }: EditionState, emit: Emit): void {
  if (turn.status !== 'active') return;
  const owner = typeof turn.owner === 'number' ? runs[turn.owner] : undefined;
  if (turn.lease === 'live' && (!owner || owner.isAsleep)) {
    emit('the lease expires', (after) => Object.assign(after.turn, { lease: 'expired', due: 'late' }));
  }
  if (turn.lease === 'live' || turn.due !== 'far') return;
  if (runs.some((run) => run.at === 'asking' && run.isFresh && !run.isAsleep)) return;
  const isLate = (after: EditionState) => Object.assign(after.turn, { due: 'late' });
  emit('the turn is late', isLate, queue.now ? 'backlog' : undefined);
}

function sufferQueue({ queue }: EditionState, emit: Emit): void {
  if (!queue.now)
    emit('the job is handed out again', (after) => Object.assign(after.queue, { now: true }), 'duplicate');
  if (!queue.old) emit('an old job comes again', (after) => Object.assign(after.queue, { old: true }), 'duplicate');
  if (queue.now) emit('the queue loses its jobs', (after) => Object.assign(after, { queue: NO_JOBS }), 'flush');
}

const NO_JOBS = { now: false, old: false };

/** `work-turn.ts`: the turn as it is, or as the first worker's own commit left it (R3). */
function takeJobs({ queue, turn, isCached }: EditionState, slot: number, may: May): void {
  for (const name of ['now', 'old'] as const) {
    if (!queue[name]) continue;
    const begin = (as: 'read' | 'cached') => (write: RunWrite) => {
      write.state.queue[name] = false;
      if (slot === 0) write.state.isCached = false;
      load(write, as);
    };
    may(`takes the ${name === 'now' ? '' : 'old '}job`, begin('read'));
    const isFirst = name === 'old' || !turn.isRaised;
    if (slot === 0 && isCached && isFirst) may(`takes the ${name} job, from its cache`, begin('cached'));
  }
}

function load({ state, slot }: RunWrite, as: 'read' | 'cached'): void {
  const { turn } = state;
  const run = runOf(state, slot);
  if (as === 'read' && (turn.status !== 'active' || turn.lease === 'live')) return;
  const isUncontended = !turn.isRaised && turn.owner === 'none' && turn.due === 'far';
  const isLazy = as === 'cached' || isUncontended;
  const saw = as === 'cached' ? 0 : turn.edition;
  Object.assign(run, { at: isLazy ? 'asking' : 'wants-lease', saw, isFresh: as === 'read' || !turn.isRaised });
}

function moveRun(state: EditionState, mover: Mover): void {
  const run = runOf(state, mover.slot);
  const { may } = mover;
  may('dies', die, 'crash');
  if (run.isAsleep) {
    may('wakes', (write) => Object.assign(runOf(write.state, write.slot), { isAsleep: false }));
    return;
  }
  may('falls asleep', (write) => Object.assign(runOf(write.state, write.slot), { isAsleep: true }), 'stall');
  if (run.at === 'wants-lease') {
    may('takes the lease', (write) =>
      takeEditionLease(write) ? go(write, 'asking') : leaveSlot(write.state, write.slot),
    );
    may('takes the lease, the answer is lost', takeAndLeave, 'lostAck');
  } else {
    beat(state, mover);
    work(run, mover);
  }
}

/** A dead run's job is handed out again. */
function die({ state, slot }: RunWrite): void {
  leaveSlot(state, slot);
  state.queue.old = true;
}

function takeAndLeave(write: RunWrite): void {
  takeEditionLease(write);
  leaveSlot(write.state, write.slot);
}

/** `heartbeat.ts` (R4). A heartbeat whose answer is lost is sent again, and hands out no second edition. */
function beat(state: EditionState, { slot, may }: Mover): void {
  const run = runOf(state, slot);
  if (!mayRenewEdition({ state, slot })) {
    if (!run.isLost)
      may('has lost its step', (write) => Object.assign(runOf(write.state, write.slot), { isLost: true }));
    return;
  }
  const { lease, due } = state.turn;
  if (!run.knowsLease) {
    may('takes the lease with a heartbeat', acquire);
    may('takes the lease with a heartbeat, the answer is lost', acquireUnknown, 'lostAck');
  } else if (lease !== 'live' || due !== 'far') {
    may('renews its lease', ({ state: after }) => Object.assign(after.turn, { lease: 'live', due: 'far' }));
  }
}

function acquireUnknown(write: RunWrite): void {
  const { state, slot } = write;
  const { edition, knowsLease } = runOf(state, slot);
  acquire(write);
  Object.assign(runOf(state, slot), { edition, knowsLease });
}

function work(run: EditionRun, { guards, may }: Mover): void {
  const mayTell = run.edition !== null || !guards.unleasedRunTellsNothing;
  if (run.at === 'asking' || run.at === 'saving') {
    if (run.at === 'asking' && mayTell) may('TELLS a piece', tellPiece);
    may('saves its reply', (write) => {
      saveReply(write);
      leaveSlot(write.state, write.slot);
    });
    may('saves its reply, the answer is lost', saveUnknown, 'lostAck');
  }
  if (run.at === 'asking' && run.isLost) may('stops', (write) => leaveSlot(write.state, write.slot));
  if (run.at === 'asking' && !run.isLost) {
    may('gets no reply now', (write) => go(write, 'postponing'), 'later');
    may('gets an error for good', (write) => go(write, 'failing'), 'definite');
  }
  if (run.at === 'postponing') negative(may, 'postpones the round', postponeEdition);
  if (run.at === 'failing') negative(may, 'fails the turn', failEdition);
}

/** `retry-transient.ts`: a commit whose answer is lost is made again. */
function saveUnknown(write: RunWrite): void {
  saveReply(write);
  go(write, 'saving');
}

function negative(may: May, verb: string, write: (by: RunWrite) => boolean): void {
  may(verb, (by) => {
    write(by);
    leaveSlot(by.state, by.slot);
  });
  may(`${verb}, the answer is lost`, (by) => void write(by), 'lostAck');
}

function go({ state, slot }: RunWrite, at: EditionRun['at']): void {
  runOf(state, slot).at = at;
}
