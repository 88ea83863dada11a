import type { Fault } from './fault.ts';
import type { Scene } from './scene.ts';

/**
 * The due step of the modelled turn, as in the column (R2b). `r3`: the retry of a turn after the repaired answer in
 * `r2` was invalid too.
 */
export type Step = 'r1' | 'b1' | 'r2' | 'r3';

/**
 * One turn with all state that its protocol depends on. It is small on purpose: times are only compared, and a
 * growing number is kept as "is it still the same".
 */
export type State = {
  turn: Turn;
  /** The next turn of the conversation, which runs in one move. */
  next: { status: 'absent' | 'waiting' | 'head' | 'done'; due: 'never' | 'far' | 'late'; job: Job };
  deliveries: { failed: Delivery; ended: Delivery };
  queue: Queue;
  /** The wakeups that the API has committed and not enqueued yet. */
  api: Wakeups;
  runs: [Run, Run];
  facts: Facts;
  used: Readonly<Record<Fault, number>>;
  /** The promise that was broken on the way to this state, if any. */
  broken: string | null;
};

/**
 * The turn's row and its two calls: `once` is the `at_most_once` call, `other` an idempotent call or a call of a
 * client.
 */
export type Turn = {
  status: 'queued' | 'in_progress' | 'requires_action' | 'completed' | 'failed' | 'cancelled';
  step: Step;
  /** `generation` > 0. */
  isRaised: boolean;
  lease: 'none' | 'live' | 'expired';
  /** `near`: within two heartbeats. `expiry`: when the waiting call expires. `never`: infinity. */
  due: 'far' | 'near' | 'late' | 'expiry' | 'never' | 'null';
  /** Whether `retry_at` is in the future. */
  isEarly: boolean;
  atHead: boolean;
  claimed: boolean;
  once: 'none' | 'ok' | 'unknown' | 'cancelled';
  /** `handed`: saved as answered with its round, for the caller to answer in a later turn. */
  other: 'absent' | 'able' | 'waiting' | 'ok' | 'cancelled' | 'handed';
  /** Whether the waiting call can expire, and whether it has. */
  expires: boolean;
  expired: boolean;
};

/** One job id. A wedged id is never handed out, and swallows every wakeup of its id. */
export type Job = 'none' | 'waiting' | 'wedged';

/**
 * A delivery's row: due, so that a worker takes it without a job, or leased, or over. `taken`: by a worker. `sent`:
 * its event id was seen.
 */
export type Delivery = {
  row: 'none' | 'due' | 'leased' | 'delivered';
  taken: boolean;
  sent: boolean;
};

/**
 * The turn's jobs: the job of the present step and generation, and for each step whether a job with an older id
 * waits.
 */
export type Queue = { now: Job } & Record<Step, boolean>;

/**
 * The enqueuing of wakeups and announcing of deliveries after a commit, before the job is acknowledged. `isNow`: the
 * turn still has the generation.
 */
export type Wakeups = Readonly<{ turn: Step | 'none'; isNow: boolean; next: boolean; delivers: boolean }>;

export type DeliveryName = keyof State['deliveries'];

/** A worker's slot for one job, and the run in it. */
export type Run = {
  at:
    | 'idle'
    | 'wants-lease'
    /** The run that a worker continues with, before it loads the turn. */
    | 'continuing'
    | 'asking'
    | 'saving'
    /** An answer that breaks the output schema. */
    | 'saving-invalid'
    | 'postponing'
    | 'failing'
    /** A round that is not sent to the model, since the caller has to answer its calls. */
    | 'handing-over'
    | 'claiming'
    | 'calling'
    | 'reloading'
    | 'enqueuing'
    | 'posting'
    /** Only for a mutant that tracks an ended run. */
    | 'leaking';
  on: Step | DeliveryName;
  /** Whether the queue still knows its job, and under the id that a wakeup would have now. */
  job: 'now' | 'old' | 'gone';
  /** The step of that job. It is an earlier step after the worker has continued. */
  jobOn: Step;
  /** Whether the row still has the loaded generation (for a delivery, the loaded attempts). */
  isFresh: boolean;
  /** Whether it loaded the turn before a `/retry` reopened it. */
  isPast: boolean;
  /** Whether its heartbeat knows that it has the lease. From now on it only renews. */
  knowsLease: boolean;
  hasLease: boolean;
  claims: boolean;
  stop: 'no' | 'lost' | 'shutdown';
  once: 'none' | 'to-claim' | 'claimed' | 'stale' | 'called' | 'give-up';
  other: 'none' | 'running' | 'refusing';
  /** The calls of its batch that the run has had. */
  knew: Readonly<{ once: boolean; other: boolean }>;
  /** The calls of its batch that it has saved results for. */
  wrote: Readonly<{ once: boolean; other: boolean }>;
  /** Whether it has made the `at_most_once` call. */
  made: boolean;
  /** The run that continues with the step that this run has made due, and whether it has the lease. */
  nextRun: 'none' | 'leased' | 'unleased';
  /**
   * The cache of the worker, for any of its runs: the step that its last commit made due. Its next job may use it.
   */
  cached: CachedStep;
  /** The turn's state when it was loaded. Only mutants read these fields. */
  saw: Readonly<{ events: number; waiting: boolean; alone: boolean }>;
  wakeups: Wakeups;
  isAsleep: boolean;
  hasSlept: boolean;
  hangs: boolean;
};

/**
 * `b1` as a saved round leaves the turn. `r2` as the last result of a batch leaves it, or an answer that needs a
 * repair. `none`: the next job reads the turn. `r2-open`: `r2` with a call that another run or a caller has answered.
 * Only a mutant uses that.
 */
export type CachedStep = 'none' | 'b1' | 'r2' | 'r2-open';

/** External effects and permanent writes, kept only to check promises. */
export type Facts = { calls: number; events: number; reopened: number; requests: number; key: 'none' | 'call' | 'run' };

/** Returns a turn that the API has just committed and will enqueue. */
export function firstState({ calls, next, expires, adopts }: Scene): State {
  const step = adopts ? 'b1' : 'r1';
  return {
    turn: {
      ...{ status: 'queued', step, isRaised: false, lease: 'none', due: 'far', isEarly: false, atHead: true },
      ...{ claimed: false, expires: expires ?? false, expired: false },
      once: calls === 'none' || calls === 'invalid' ? 'ok' : 'none',
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
  invalid: 'absent',
  once: 'absent',
  tools: 'able',
  client: 'waiting',
  approval: 'waiting',
  handed: 'handed',
} as const;

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
