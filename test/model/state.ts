import type { Fault } from './fault.ts';
import type { Scene } from './scene.ts';

/**
 * The step of the modelled turn that is due, as the column has it (R2b). `r3`: of a turn whose answer has been repaired in `r2`,
 * did not fit either, and is asked for again.
 */
export type Step = 'r1' | 'b1' | 'r2' | 'r3';

/**
 * One turn with everything its protocol depends on. Small on purpose: times are only compared, and a number that only
 * grows is kept as "is it still the same".
 */
export type State = {
  turn: Turn;
  /** The next turn of the conversation; it works in one go. */
  next: { status: 'absent' | 'waiting' | 'head' | 'done'; due: 'never' | 'far' | 'late'; job: Job };
  deliveries: { failed: Delivery; ended: Delivery };
  queue: Queue;
  /** What the API has committed and not enqueued yet. */
  api: Wakeups;
  runs: [Run, Run];
  facts: Facts;
  used: Readonly<Record<Fault, number>>;
  /** The promise that was broken on the way here, if one was. */
  broken: string | null;
};

/** The turn's row and its two calls: `once` is the `at_most_once` one, `other` an idempotent or an outside one. */
export type Turn = {
  status: 'queued' | 'in_progress' | 'requires_action' | 'completed' | 'failed' | 'cancelled';
  step: Step;
  /** `generation` > 0. */
  isRaised: boolean;
  lease: 'none' | 'live' | 'expired';
  /** `near`: within two heartbeats. `expiry`: when the waiting call expires. `never`: infinity. */
  due: 'far' | 'near' | 'late' | 'expiry' | 'never' | 'null';
  /** `retry_at` has not come. */
  isEarly: boolean;
  atHead: boolean;
  claimed: boolean;
  once: 'none' | 'ok' | 'unknown' | 'cancelled';
  /** `handed`: saved as answered with its round, for the caller to answer in a later turn. */
  other: 'absent' | 'able' | 'waiting' | 'ok' | 'cancelled' | 'handed';
  /** Whether the waiting call has an end to its waiting, and whether that has come. */
  expires: boolean;
  expired: boolean;
};

/** One job id: a wedged one is never handed out, and swallows every wakeup of its id. */
export type Job = 'none' | 'waiting' | 'wedged';

/**
 * A delivery's row: due, so that a worker takes it from there without a job; leased, or over. `taken`: by a worker. `sent`: its event
 * id was seen.
 */
export type Delivery = {
  row: 'none' | 'due' | 'leased' | 'delivered';
  taken: boolean;
  sent: boolean;
};

/** The turn's jobs: the one of the present step and generation, and whether one waits with an older id, by step. */
export type Queue = { now: Job } & Record<Step, boolean>;

/**
 * What follows a commit before its job is acknowledged: wakeups are enqueued, and deliveries announced. `isNow`: the generation is
 * still the turn's.
 */
export type Wakeups = Readonly<{ turn: Step | 'none'; isNow: boolean; next: boolean; delivers: boolean }>;

export type DeliveryName = keyof State['deliveries'];

/** A worker's slot for one job, and the run in it. */
export type Run = {
  at:
    | 'idle'
    | 'wants-lease'
    /** The run with which a worker continues, before it loads the turn. */
    | 'continuing'
    | 'asking'
    | 'saving'
    /** An answer that breaks the output schema. */
    | 'saving-unfit'
    | 'postponing'
    | 'failing'
    /** Of a round that nobody asks for, since its calls are the caller's. */
    | 'handing-over'
    | 'claiming'
    | 'calling'
    | 'reloading'
    | 'enqueuing'
    | 'posting'
    /** Only where a mutant goes on tracking a run that has ended. */
    | 'leaking';
  on: Step | DeliveryName;
  /** Whether the queue still knows its job, and by the id that a wakeup would have now. */
  job: 'now' | 'old' | 'gone';
  /** The step of that job: an earlier one once the worker has continued. */
  jobOn: Step;
  /** The generation (of a delivery: the attempts) it loaded is still the row's. */
  isFresh: boolean;
  /** It loaded the turn before a `/retry` reopened it. */
  isPast: boolean;
  /** Its heartbeat knows that it has the lease: from now on it only renews. */
  knowsLease: boolean;
  hasLease: boolean;
  claims: boolean;
  stop: 'no' | 'lost' | 'shutdown';
  once: 'none' | 'to-claim' | 'claimed' | 'stale' | 'called' | 'give-up';
  other: 'none' | 'running' | 'refusing';
  /** The calls of its batch that it has had. */
  knew: Readonly<{ once: boolean; other: boolean }>;
  /** The calls of its batch whose results it has written itself. */
  wrote: Readonly<{ once: boolean; other: boolean }>;
  /** It has made the call that may be made once. */
  made: boolean;
  /** The run by which the worker continues with the step that this run has made due, and whether it has the lease. */
  nextRun: 'none' | 'leased' | 'unleased';
  /** The worker's own, whichever run it has: the step that its commit has just left, which its next job may believe. */
  cached: CachedStep;
  /** The turn's state when it was loaded; only mutants look at these. */
  saw: Readonly<{ events: number; waiting: boolean; alone: boolean }>;
  wakeups: Wakeups;
  isAsleep: boolean;
  hasSlept: boolean;
  hangs: boolean;
};

/**
 * `b1` as a saved round leaves the turn, `r2` as the last result of a batch does, or an answer that has to be repaired. `none`: the next job reads the turn.
 * `r2-open`: the same with a call that another run or a caller has answered; only a mutant believes that.
 */
export type CachedStep = 'none' | 'b1' | 'r2' | 'r2-open';

/** What happened outside or is written for good, kept only to check promises. */
export type Facts = { calls: number; events: number; reopened: number; requests: number; key: 'none' | 'call' | 'run' };

/** A turn that the API has just committed and is about to enqueue. */
export function firstState({ calls, next, expires, adopts }: Scene): State {
  const step = adopts ? 'b1' : 'r1';
  return {
    turn: {
      ...{ status: 'queued', step, isRaised: false, lease: 'none', due: 'far', isEarly: false, atHead: true },
      ...{ claimed: false, expires: expires ?? false, expired: false },
      once: calls === 'none' || calls === 'unfit' ? 'ok' : 'none',
      other: OTHERS[calls],
    },
    next: { status: next === 'waits' ? 'waiting' : 'absent', due: 'never', job: 'none' },
    deliveries: { failed: noDelivery(), ended: noDelivery() },
    queue: { now: 'none', r1: false, b1: false, r2: false, r3: false },
    api: { ...noWakeups(), turn: step, isNow: true },
    runs: [idleRun(), idleRun()],
    facts: { calls: 0, events: 0, reopened: 0, requests: 0, key: 'none' },
    used: noFaults(),
    broken: null,
  };
}

const OTHERS = {
  none: 'absent',
  unfit: 'absent',
  once: 'absent',
  tools: 'able',
  client: 'waiting',
  approval: 'waiting',
  handed: 'handed',
} as const;

/** A slot for a job, without a run. */
export function idleRun(): Run {
  return {
    ...{ at: 'idle', on: 'r1', job: 'gone', jobOn: 'r1', isFresh: false, isPast: false },
    ...{ knowsLease: false, hasLease: false, claims: false, stop: 'no' },
    ...{ once: 'none', other: 'none', made: false, nextRun: 'none', cached: 'none' },
    ...{ knew: { once: false, other: false }, wrote: { once: false, other: false } },
    saw: { events: 0, waiting: false, alone: false },
    wakeups: noWakeups(),
    ...{ isAsleep: false, hasSlept: false, hangs: false },
  };
}

/** Nothing to enqueue. */
export function noWakeups(): Wakeups {
  return { turn: 'none', isNow: false, next: false, delivers: false };
}

function noDelivery(): Delivery {
  return { row: 'none', taken: false, sent: false };
}

function noFaults(): Record<Fault, number> {
  return {
    ...{ crash: 0, stall: 0, hang: 0, flush: 0, duplicate: 0, wedge: 0, lostAck: 0, backlog: 0 },
    ...{ later: 0, definite: 0, shutdown: 0, refusal: 0, cancel: 0, retry: 0, answer: 0 },
  };
}
