import type { Emit, Model } from '../explore/model.ts';
import { at, type PlainModel, plainModel } from '../explore/plain-model.ts';
import type { AnyFault, Fault, Left } from '../fault.ts';
import { moveRuns } from './move-runs.ts';
import { type Commit, idleRound, type RoundState } from './round-state.ts';
import { type By, isOnStep, mayRenew, wake } from './round-writes.ts';

/** The kinds of faults of one round. */
export const FAULTS_OF_ROUND: Fault[] = ['crash', 'stall', 'duplicate', 'flush', 'lostAck', 'backlog', 'later'];

type Run<S extends RoundState> = S['runs'][number];

/** Emits a move of one run. `change` gets the same run in the next state. */
export type May<S extends RoundState, G> = (verb: string, change: (by: By<S, G>) => void, fault?: AnyFault) => void;

/** The rules of one small model of rounds. All small models share the other rules. */
export type RoundRules<S extends RoundState, G> = {
  first: PlainModel<S>['first'];
  /** Copies the columns that a run needs. A cached turn has the values before its first attempt. */
  load(by: By<S, G>, as: 'read' | 'cached'): void;
  /** Sends the request, or decides on a commit instead. By default the run sends the request. */
  begin?(by: By<S, G>): void;
  /** Follows a lease that the run got by a heartbeat or before it began. */
  leased?(by: By<S, G>): void;
  /** Returns whether the row has changed since the run loaded it. `refusesStale`: then the lease is refused. */
  isStale?(by: By<S, G>): boolean;
  refusesStale?(guards: G): boolean;
  /** The promise that breaks if a stale run gets the lease. */
  stale?: string;
  /** Follows the end of a run. */
  left?(state: S, slot: number): void;
  /** Emits the replies of the model, and its failures. */
  hear(run: Run<S>, may: May<S, G>, guards: G): void;
  commits: Partial<Record<Commit, (by: By<S, G>) => void>>;
  /** Retries the failed turn for a caller. */
  retry?(state: S, guards: G): void;
  outside?(state: S, emit: Emit<S>, guards: G): void;
};

export function roundModel<S extends RoundState, G>(rules: RoundRules<S, G>, guards: G, faults: Left): Model<S> {
  return plainModel<S>({
    first: rules.first,
    faults,
    movesOf: (state, emit) => {
      passTime(state, emit);
      rules.outside?.(state, emit, guards);
      sufferQueue(state, emit);
      if (state.turn.due === 'late') emit('the rescuer enqueues the turn', wake);
      if (rules.retry && state.turn.status === 'failed')
        emit('a caller retries', (after) => rules.retry?.(after, guards), 'retry');
      moveRuns(state, emit, (_, may, slot) => {
        const mayBy: May<S, G> = (verb, change, fault) =>
          may(verb, (run, after) => change({ state: after, slot, run, guards }), fault);
        moveSlot({ state, slot, run: at<Run<S>>(state.runs, slot), guards, rules, may: mayBy });
      });
    },
    isDone: ({ turn }) => turn.status !== 'active',
  });
}

/** Expires a lease if its run is dead or asleep. A turn is late if no run is on it, or its job waits for long. */
function passTime<S extends RoundState>(state: S, emit: Emit<S>): void {
  const { turn, runs, queue } = state;
  if (turn.status !== 'active') return;
  const owner = typeof turn.owner === 'number' ? runs[turn.owner] : undefined;
  if (turn.lease === 'live' && (!owner || owner.isAsleep))
    emit('the lease expires', (after) => Object.assign(after.turn, { lease: 'expired', due: 'late' }));
  if (turn.lease === 'live' || turn.due !== 'far') return;
  if (runs.some((run) => run.at === 'asking' && run.isFresh && !run.isAsleep)) return;
  const becomeLate = (after: S) => Object.assign(after.turn, { due: 'late' });
  emit('the turn is late', becomeLate, queue.now ? 'backlog' : undefined);
}

function sufferQueue<S extends RoundState>({ queue }: S, emit: Emit<S>): void {
  const put = (jobs: Partial<RoundState['queue']>) => (after: S) => void Object.assign(after.queue, jobs);
  if (!queue.now) emit('the job is delivered again', put({ now: true }), 'duplicate');
  if (!queue.old) emit('an old job is delivered again', put({ old: true }), 'duplicate');
  if (queue.now) emit('the queue loses its jobs', put({ now: false, old: false }), 'flush');
}

type Mover<S extends RoundState, G> = By<S, G> & { rules: RoundRules<S, G>; may: May<S, G> };

function moveSlot<S extends RoundState, G>(mover: Mover<S, G>): void {
  if (mover.run.at === 'idle') takeJobs(mover);
  else moveRun(mover);
}

/** Models `work-turn.ts`: loads the turn as it is, or as the first worker's own commit left it (R3). */
function takeJobs<S extends RoundState, G>({ state, slot, rules, may }: Mover<S, G>): void {
  const { queue, turn, cached } = state;
  for (const name of ['now', 'old'] as const) {
    if (!queue[name]) continue;
    const begin = (as: 'read' | 'cached') => (by: By<S, G>) => {
      by.state.queue[name] = false;
      if (slot === 0) by.state.cached = 0;
      load(by, as, rules);
    };
    may(`takes the ${name === 'now' ? '' : 'old '}job`, begin('read'));
    const isFirst = name === 'old' || !turn.isRaised;
    if (slot === 0 && cached === turn.round && isFirst) may(`takes the ${name} job, from its cache`, begin('cached'));
  }
}

/** Loads the columns that a run works with. No other move changes them. */
function load<S extends RoundState, G>(by: By<S, G>, as: 'read' | 'cached', rules: RoundRules<S, G>): void {
  const { turn } = by.state;
  if (as === 'read' && (turn.status !== 'active' || turn.lease === 'live')) return;
  const isUncontended = !turn.isRaised && turn.owner === 'none' && turn.due === 'far';
  Object.assign(by.run, { round: turn.round, isFresh: as === 'read' || !turn.isRaised });
  rules.load(by, as);
  if (as === 'cached' || isUncontended) begin(by, rules);
  else by.run.at = 'wants-lease';
}

function begin<S extends RoundState, G>(by: By<S, G>, rules: RoundRules<S, G>): void {
  by.run.at = 'asking';
  rules.begin?.(by);
}

function moveRun<S extends RoundState, G>(mover: Mover<S, G>): void {
  const { run, rules, may, guards } = mover;
  may('dies', (by) => die(by, rules), 'crash');
  if (run.isAsleep) {
    may('wakes', (by) => Object.assign(by.run, { isAsleep: false }));
    return;
  }
  may('falls asleep', (by) => Object.assign(by.run, { isAsleep: true }), 'stall');
  if (run.at === 'wants-lease') {
    may('takes the lease', (by) => (takeLease(by, rules) ? begin(by, rules) : leaveSlot(by, rules)));
    const takeUnknown = (by: By<S, G>) => {
      takeLease(by, rules);
      leaveSlot(by, rules);
    };
    may('takes the lease, the answer is lost', takeUnknown, 'lostAck');
    return;
  }
  beat(mover);
  if (run.at === 'asking') {
    rules.hear(run, may, guards);
    if (run.isLost) may('stops', (by) => leaveSlot(by, rules));
  } else if (run.at !== 'idle') commit(run.at, mover);
}

/** Kills a run. Its job is delivered again. */
function die<S extends RoundState, G>(by: By<S, G>, rules: RoundRules<S, G>): void {
  leaveSlot(by, rules);
  by.state.queue.old = true;
}

/** Models `takeLease` (R3). */
function takeLease<S extends RoundState, G>(by: By<S, G>, rules: RoundRules<S, G>): boolean {
  const { turn } = by.state;
  const isStale = rules.isStale?.(by) ?? false;
  if (isStale && rules.refusesStale?.(by.guards)) return false;
  if (!isOnStep(by) || turn.lease === 'live') return false;
  acquire(by, rules);
  if (isStale) by.state.broken ??= rules.stale ?? null;
  return true;
}

/** Acquires the lease and its columns in one write. */
function acquire<S extends RoundState, G>(by: By<S, G>, rules: RoundRules<S, G>): void {
  rules.leased?.(by);
  Object.assign(by.state.turn, { owner: by.slot, lease: 'live', due: 'far' });
  by.run.knowsLease = true;
}

/** Models `heartbeat.ts` (R4). A heartbeat is sent again if its answer is lost. */
function beat<S extends RoundState, G>(mover: Mover<S, G>): void {
  const { run, rules, may } = mover;
  const { lease, due } = mover.state.turn;
  if (!mayRenew(mover)) {
    if (!run.isLost) may('has lost its step', (by) => Object.assign(by.run, { isLost: true }));
  } else if (!run.knowsLease) {
    may('takes the lease with a heartbeat', (by) => acquire(by, rules));
    const acquireUnknown = (by: By<S, G>) => {
      const before = { ...by.run };
      acquire(by, rules);
      Object.assign(by.run, before);
    };
    may('takes the lease with a heartbeat, the answer is lost', acquireUnknown, 'lostAck');
  } else if (lease !== 'live' || due !== 'far') {
    may('renews its lease', (by) => Object.assign(by.state.turn, { lease: 'live', due: 'far' }));
  }
}

/** Models `retry-transient.ts`: repeats a commit after its answer was lost. */
function commit<S extends RoundState, G>(name: Commit, { rules, may }: Mover<S, G>): void {
  const write = rules.commits[name];
  if (!write) return;
  may(`commits (${name})`, (by) => {
    write(by);
    leaveSlot(by, rules);
  });
  may(`commits (${name}), the answer is lost`, write, 'lostAck');
}

function leaveSlot<S extends RoundState, G>({ state, slot, run }: By<S, G>, rules: RoundRules<S, G>): void {
  Object.assign(run, at(rules.first.runs as S['runs'], slot), idleRound());
  if (state.turn.owner === slot) state.turn.owner = 'over';
  rules.left?.(state, slot);
}
