import { randomUUID } from 'node:crypto';
import type { Provider, RoundRequest } from '#core/llm/provider.ts';
import type { Turn } from '#core/turn/turn.ts';

/** Why a run is stopped in the middle. */
export type StopReason = 'cancelled' | 'lost' | 'deadline' | 'shutdown';

/** A request for a round that is under way; times are in milliseconds since 1970. */
export type Attempt = {
  round: number;
  model: string;
  startedAt: number;
  firstChunkAt: number | null;
  repliedAt: number | null;
  /** The attributes of the request for spans. Null until the request is built. */
  sent: SentRequest | null;
  /** What was asked, where spans carry it. */
  asked: Pick<RoundRequest, 'instructions' | 'messages'> | null;
};

/** The parameters of a request to a model, and the server that it goes to. */
export type SentRequest = Pick<RoundRequest, 'maxOutputTokens' | 'temperature' | 'topP'> & Pick<Provider, 'server'>;

/** A try of a round, by when it began. */
export type Tried = Pick<Attempt, 'round' | 'startedAt'>;

/** One job's work on one step. Its id is fresh for each start: it names leases and claims, never a worker (R1). */
export type Run = {
  id: string;
  turn: Turn;
  step: string;
  signal: AbortSignal;
  /** Calls that were made and may not be made twice, by their index in the batch: their claims outlive the run. */
  called: Set<number>;
  /** How many requests it has made to the model. */
  requests: number;
  /** The try of its round that is under way, or whose reply or failure is not committed yet. */
  attempt: Attempt | null;
  /** The last try of its round that failed in this run. */
  failed: Tried | null;
  /** How long its step has waited for it. */
  queueWaitMs: number;
  /**
   * The edition of the round, that its lease has handed to it alone; null until it has the lease. Without one it tells no piece
   * (contract-responses R45).
   */
  edition: number | null;
  /** Resolves once it has the lease. */
  leased: Promise<void>;
  /** It has the lease, with this edition. */
  lead(edition: number): void;
  /** Whether it has told a piece of the round. */
  told: boolean;
  /** The milliseconds since the run was started, which is when it loaded its turn. */
  ageMs(): number;
  /** Its turn is larger than a worker loads, so it has only the beginnings of its results. */
  isShortened: boolean;
  stop(reason: StopReason): void;
};

/** The id of a run that is about to start. */
export function newRunId(): string {
  return randomUUID();
}

/** Starts a run; it stops by itself at the turn's deadline. */
export function startRun(id: string, turn: Turn): Run & Disposable {
  const controller = new AbortController();
  const stop = (reason: StopReason) => controller.abort(reason);
  const { deadlineInMs, step } = turn.work;
  const startedAt = performance.now();
  const { promise: leased, resolve } = Promise.withResolvers<void>();
  const timer = deadlineInMs === null ? undefined : setTimeout(stop, Math.min(deadlineInMs, MAX_TIMER_MS), 'deadline');
  const run: Run & Disposable = {
    id,
    turn,
    step,
    signal: controller.signal,
    called: new Set(),
    requests: 0,
    attempt: null,
    failed: null,
    queueWaitMs: 0,
    edition: null,
    told: false,
    isShortened: false,
    leased,
    lead: (edition) => {
      run.edition = edition;
      resolve();
    },
    stop,
    ageMs: () => performance.now() - startedAt,
    [Symbol.dispose]: () => clearTimeout(timer),
  };
  return run;
}

/** The longest a Node timer can wait; no step runs that long. */
const MAX_TIMER_MS = 2_147_483_647;
