import type { LiveEvent } from '../turn/event.ts';

/**
 * To whoever watches a turn: something durable was appended, or something just happened that never will be. `goesOn` says
 * that the turn surely neither ended nor waits for anybody now, for those who only wait for that. Of these and of events a
 * worker tells only where it has heard that somebody watches.
 */
export type ToWatchers = { turnId: string } & ({ kind: 'wake'; goesOn?: true } | { kind: 'event'; event: LiveEvent });

/**
 * To the workers. `cancelled`: a turn ended, whoever is on it may stop. `watched`: somebody watches a turn, and for a while
 * what happens to it is worth telling. `catch-up`: somebody has just come to it, or has missed something, and is told what is
 * there so far. `who-watches`: a worker has just come, and wants to hear `watched` of all that is. `rate-limit`: what a worker has
 * met at a model's rate limit.
 */
export type ToWorkers =
  | { kind: 'cancelled'; turnId: string }
  | { kind: 'watched' | 'catch-up'; turnId: string }
  | { kind: 'who-watches' }
  | RateLimitNews;

/**
 * A model's rate limit, as the worker `by` has met it. `closed`: the provider refused a call. `probed`: one request is under way
 * to see whether the limit is over. `unanswered`: it was not refused, and says nothing. `over`: the model may be asked.
 */
export type RateLimitNews = {
  kind: 'rate-limit';
  by: string;
  model: string;
  change: { state: 'closed'; forMs: number; nextPauseMs: number } | { state: 'probed' | 'unanswered' | 'over' };
};

/**
 * The wire between processes. All it carries are hints and previews: what is lost is read again from Postgres, so
 * telling never fails, never waits and is never waited for.
 */
export type Live = {
  tellWatchers(message: ToWatchers): void;
  tellWorkers(message: ToWorkers): void;
  /** Hears of one turn until the returned function is called; `hear` gets a `wake` too whenever hints may be lost. */
  watch(turnId: string, hear: (message: ToWatchers) => void): () => void;
  hearWorkers(hear: (message: ToWorkers) => void): () => void;
  close(): Promise<void>;
};
