import type { LiveEvent } from '../turn/event.ts';

/** A durable change of a turn. `goesOn`: the turn has surely not ended, and waits for no input from outside. */
export type TurnWake = { turnId: string; goesOn?: true };

/**
 * To the watchers of a turn.
 * - `wake`: the turn has changed durably.
 * - `event`: an event that is never stored.
 *
 * A worker sends events, and wakes with `goesOn`, only for turns that it knows to be watched.
 */
export type TurnMessage = ({ kind: 'wake' } & TurnWake) | { kind: 'event'; turnId: string; event: LiveEvent };

/** Receives the wakes of all turns. `missed`: messages may be lost, so any turn may have changed. */
export type WakeReceiver = { wake(wake: TurnWake): void; missed(): void };

/**
 * To the workers.
 * - `cancelled`: a turn ended; the worker on it may stop.
 * - `joined`: an input has joined a turn; what a worker keeps of it is read again.
 * - `watched`: a turn has watchers, and for a while its events are worth sending.
 * - `catch-up`: a watcher has just come, or has missed something, and needs what there is so far.
 * - `who-watches`: a worker has just started, and needs a `watched` for each turn that is.
 * - `deliveries`: deliveries are due, of a process without a worker.
 * - `rate-limit`: what a worker has met at a model's rate limit.
 */
export type WorkerMessage =
  | { kind: 'cancelled' | 'joined'; turnId: string }
  | { kind: 'watched' | 'catch-up'; turnId: string }
  | { kind: 'who-watches' | 'deliveries' }
  | RateLimitChange;

/**
 * A model's rate limit, as the worker `by` has met it.
 * - `closed`: the provider refused a call.
 * - `probed`: one request is in flight to see whether the limit is over.
 * - `unanswered`: the probe was not refused, and shows nothing.
 * - `over`: the model may be called.
 */
export type RateLimitChange = {
  kind: 'rate-limit';
  by: string;
  /** The name of the limit: its model, and its tier if that has limits of its own (`turn/tiers/change-tier.ts`). */
  name: string;
  change: { state: 'closed'; forMs: number; nextPauseMs: number } | { state: 'probed' | 'unanswered' | 'over' };
};

/** Hints and previews between processes. Postgres has all that may be lost, so publishing never fails or waits. */
export type Pubsub = {
  /** Publishes to the watchers of a turn, in order. Wakes of one turn of the event loop share a message. */
  publishToTurn(message: TurnMessage): void;
  publishToWorkers(message: WorkerMessage): void;
  /** Subscribes to the wakes of all turns: one subscription of the process, whatever is watched in it. */
  subscribeToWakes(receiver: WakeReceiver): () => void;
  /** Whether this process receives wakes. On Postgres it stays true for up to 10 s after the connection was lost. */
  receivesWakes(): boolean;
  /** Subscribes to the live events of one turn. They are many, so only a process that streams the turn reads them. */
  subscribeToEvents(turnId: string, receive: (event: LiveEvent) => void): () => void;
  subscribeToWorkers(receive: (message: WorkerMessage) => void): () => void;
  close(): Promise<void>;
};
