import type { LiveEvent } from '../turn/event.ts';

/** A durable change of a turn. `goesOn` means that the turn has surely not ended, and waits for no external input. */
export type TurnWake = { turnId: string; goesOn?: true };

/**
 * A message to the watchers of a turn.
 * - `wake`: the turn has changed durably.
 * - `event`: an event that is never stored.
 *
 * A worker sends events, and wakes with `goesOn`, only for turns that it knows to be watched.
 */
export type TurnMessage = ({ kind: 'wake' } & TurnWake) | { kind: 'event'; turnId: string; event: LiveEvent };

/** The receiver of the wakes of all turns. `missed` means that messages may be lost, so any turn may have changed. */
export type WakeReceiver = { wake(wake: TurnWake): void; missed(): void };

/**
 * A message to the workers.
 * - `cancelled`: a turn has ended, so the worker on it may stop.
 * - `joined`: an input has joined a turn, so a worker reads its copy of the turn again.
 * - `watched`: a turn has watchers, and for a while its events are worth sending.
 * - `catch-up`: a watcher is new, or has missed a message, and needs all text so far.
 * - `who-watches`: a worker has just started, and needs a `watched` for each watched turn.
 * - `deliveries`: deliveries are due, from a process without a worker.
 * - `rate-limit`: a change of a model's rate limit that a worker has met.
 */
export type WorkerMessage =
  | { kind: 'cancelled' | 'joined'; turnId: string }
  | { kind: 'watched' | 'catch-up'; turnId: string }
  | { kind: 'who-watches' | 'deliveries' }
  | RateLimitChange;

/**
 * A change of a model's rate limit, as the worker `by` has met it.
 * - `closed`: the provider refused a call.
 * - `probed`: one request is in flight to see whether the limit is over.
 * - `unanswered`: the probe was not refused, but its result is unknown.
 * - `over`: the model may be called.
 */
export type RateLimitChange = {
  kind: 'rate-limit';
  by: string;
  /** The name of the limit: its model, and its tier if the tier has its own limits (`turn/tiers/change-tier.ts`). */
  name: string;
  change: { state: 'closed'; forMs: number; nextPauseMs: number } | { state: 'probed' | 'unanswered' | 'over' };
};

/**
 * Hints and previews between processes. PostgreSQL has all data that may be lost here, so publishing never fails or
 * waits.
 */
export type Pubsub = {
  /** Publishes to the watchers of a turn, in order. Wakes of one turn of the event loop share a message. */
  publishToTurn(message: TurnMessage): void;
  publishToWorkers(message: WorkerMessage): void;
  /** Subscribes to the wakes of all turns: one subscription of the process for all its watchers. */
  subscribeToWakes(receiver: WakeReceiver): () => void;
  /** Whether this process receives wakes. On PostgreSQL it stays true for up to 10 s after the connection was lost. */
  receivesWakes(): boolean;
  /** Subscribes to the live events of a turn. They are many, so only a process that streams the turn reads them. */
  subscribeToEvents(turnId: string, receive: (event: LiveEvent) => void): () => void;
  subscribeToWorkers(receive: (message: WorkerMessage) => void): () => void;
  close(): Promise<void>;
};
