import type { LiveEvent } from '../turn/event.ts';

/**
 * To the watchers of a turn.
 * - `wake`: something durable was appended. `goesOn`: the turn has surely not ended, and waits for no input from outside.
 * - `event`: something happened that is never stored.
 *
 * A worker sends events, and wakes with `goesOn`, only for turns that it knows to be watched.
 */
export type TurnMessage = { turnId: string } & ({ kind: 'wake'; goesOn?: true } | { kind: 'event'; event: LiveEvent });

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
  /** The name of the limit: its model, and its tier if that has limits of its own (`turn/tiers/asked-tier.ts`). */
  name: string;
  change: { state: 'closed'; forMs: number; nextPauseMs: number } | { state: 'probed' | 'unanswered' | 'over' };
};

/**
 * Messages between processes: hints and previews only. What is lost is read again from Postgres, so publishing never
 * fails and never waits.
 */
export type Pubsub = {
  publishToTurn(message: TurnMessage): void;
  publishToWorkers(message: WorkerMessage): void;
  /** Subscribes until the returned function is called; `receive` gets a `wake` too whenever messages may be lost. */
  subscribeToTurn(turnId: string, receive: (message: TurnMessage) => void): () => void;
  subscribeToWorkers(receive: (message: WorkerMessage) => void): () => void;
  close(): Promise<void>;
};
