import type { LiveEvent } from '../turn/event.ts';

/** To whoever watches a turn: something durable was appended, or something just happened that never will be. */
export type ToWatchers = { turnId: string } & ({ kind: 'wake' } | { kind: 'event'; event: LiveEvent });

/**
 * To the workers. `cancelled`: a turn ended, whoever is on it may stop. `catch-up`: a watcher came in the middle,
 * whoever is on the turn says what is there so far. `parked`: a provider asks everybody to wait.
 */
export type ToWorkers =
  | { kind: 'cancelled'; turnId: string }
  | { kind: 'catch-up'; turnId: string }
  | { kind: 'parked'; provider: string; forMs: number };

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
