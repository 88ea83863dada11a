import { randomUUID } from 'node:crypto';
import { turnsQueue } from '#core/queue/job.ts';
import type { Turn } from '#core/turn/turn.ts';
import { wakeupOf } from '#core/turn/wakeup.ts';
import type { SpanAttributes } from '../../process/trace/tracer.ts';
import type { RequestedParameters } from '../../process/trace/turn-spans.ts';
import type { RoundResponses } from '../round/background/round-responses.ts';

/** Why a run is stopped in the middle. */
export type StopReason = 'cancelled' | 'lost' | 'deadline' | 'shutdown';

/** The right of a run to its step. It changes in two ways only: the run takes it, and the run is stopped. */
export type Lease = {
  /** The id of the run, fresh for each start: it names leases and claims, never a worker (R1). */
  readonly id: string;
  readonly turnId: string;
  readonly step: string;
  /** The generation that the run has loaded. */
  readonly generation: number;
  /** Aborts with a `StopReason` when the run is stopped. */
  readonly signal: AbortSignal;
  /** The draft number that the database gave with the lease, or null until the run has taken the lease. */
  readonly draft: number | null;
  /** Resolves once the run has taken the lease. */
  readonly taken: Promise<void>;
  /** Returns the milliseconds since the run has started and loaded its turn. */
  ageMs(): number;
  /** Notes that the database has given the run the lease, with this draft number. */
  take(draft: number): void;
  stop(reason: StopReason): void;
};

/** The work of one worker on one step so far. A run is immutable: a function that adds to a run returns another run. */
export type Run = Readonly<{
  lease: Lease;
  turn: Turn;
  /** True if the turn is larger than a worker loads, so that the run has only the beginnings of its results. */
  isShortened: boolean;
  /** The id of the run that may continue with the next step. */
  nextRun: string;
  /** Returns true if its worker may continue with a next step that belongs to this queue. */
  mayContinue: (queue: string) => boolean;
  /** The time that the step has waited for the run. */
  queueWaitMs: number;
  /** The number of requests to models that no commit counts yet. */
  requests: number;
  /** True once the run has published a piece of its round. */
  published: boolean;
  /** The responses of a round that is asked in the background, or null. */
  responses: RoundResponses | null;
  /** True if `turn` lacks inputs that the response of the round has not received. */
  isBehind: boolean;
  /** The last request of the round, until its reply or failure is reported. */
  attempt: Attempt | null;
  /** The last request of the round that failed in this run. */
  failed: Tried | null;
}>;

/** A request for a round. Times are in milliseconds since 1970. */
export type Attempt = Readonly<{
  round: number;
  model: string;
  startedAt: number;
  firstChunkAt: number | null;
  repliedAt: number | null;
  /** The attributes of the request for spans. Null if the request could not be built. */
  sent: RequestedParameters | null;
  /** The prompt as attributes of a span. Null if spans carry no content, or if the request could not be built. */
  prompt: SpanAttributes | null;
}>;

/** A try of a round, identified by its start. */
export type Tried = Pick<Attempt, 'round' | 'startedAt'>;

/** Returns the id of a run that is about to start. */
export function newRunId(): string {
  return randomUUID();
}

/**
 * Decides, before a commit, whether the worker continues with the step that the commit makes due. Returns the id of
 * the run that gets the lease of that step (R3), or null if the step goes through the queue.
 */
export function nextRunOf({ turn, nextRun, mayContinue }: Run): string | null {
  return mayContinue(turnsQueue(wakeupOf(turn).provider)) ? nextRun : null;
}

/** Starts a run on a loaded turn. */
export function startRun(lease: Lease, loaded: Pick<Run, 'turn'> & Partial<Run>): Run {
  const nothingDone = {
    isShortened: false,
    nextRun: newRunId(),
    mayContinue: () => false,
    queueWaitMs: 0,
    requests: 0,
    published: false,
    responses: null,
    isBehind: false,
    attempt: null,
    failed: null,
  };
  return { ...nothingDone, lease, ...loaded };
}

/** Opens the lease of a run that has not taken it yet. The run is stopped at the deadline of its turn. */
export function openLease(id: string, { id: turnId, work }: Turn): Lease & Disposable {
  const { step, generation, deadlineInMs } = work;
  const controller = new AbortController();
  const stop = (reason: StopReason) => controller.abort(reason);
  const startedAt = performance.now();
  const { promise: taken, resolve } = Promise.withResolvers<void>();
  const timer = deadlineInMs === null ? undefined : setTimeout(stop, Math.min(deadlineInMs, MAX_TIMER_MS), 'deadline');
  let draft: number | null = null;
  return {
    ...{ id, turnId, step, generation, signal: controller.signal, taken, stop },
    get draft() {
      return draft;
    },
    take: (handedOut) => {
      draft = handedOut;
      resolve();
    },
    ageMs: () => performance.now() - startedAt,
    [Symbol.dispose]: () => clearTimeout(timer),
  };
}

/** The maximum of a Node timer. No step runs that long. */
const MAX_TIMER_MS = 2_147_483_647;
