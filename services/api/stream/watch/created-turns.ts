import { LRUCache } from 'lru-cache';
import type { TurnWake } from '#core/pubsub/pubsub.ts';
import type { Turn } from '#core/turn/turn.ts';

/**
 * The turns that this process created in the last 10 s and that, by their wakes, have not settled since. A client
 * that waits for such a turn to settle waits for its wake, without a first read. An older turn is read first, because
 * its wake may never have been sent.
 */
export type CreatedTurns = {
  /** Adds a turn after the commit that created it, unless it has changed since or does not start as queued. */
  add(turn: Pick<Turn, 'id' | 'project' | 'status'>): void;
  has(turnId: string, project: string): boolean;
  changed(wake: TurnWake): void;
  /** Removes a turn after a client has waited for it. A later client reads it first, in case the wake was lost. */
  delete(turnId: string): void;
  /** Forgets all turns, because wakes may be lost. */
  clear(): void;
};

const MOST_TURNS = 10_000;

/** A heartbeat of the API. A watched turn is read as often, so a lost wake costs no more time than that. */
const LONGEST_MS = 10_000;

/** Wakes may arrive before the answer to the commit that created their turn. */
const MOST_WAKES = 1_000;

/** Keeps the turns that this process has created. `now` is a monotonic time in milliseconds. */
export function makeCreatedTurns(now: () => number = () => performance.now()): CreatedTurns {
  const projects = new LRUCache<string, string>({ max: MOST_TURNS, ttl: LONGEST_MS, ttlResolution: 0, perf: { now } });
  const woken = new LRUCache<string, true>({ max: MOST_WAKES });

  return {
    add: ({ id, project, status }) => {
      if (status === 'queued' && !woken.has(id)) projects.set(id, project);
    },
    has: (turnId, project) => projects.peek(turnId) === project,
    changed: ({ turnId, goesOn }) => {
      if (!goesOn && !projects.delete(turnId)) woken.set(turnId, true);
    },
    delete: (turnId) => void projects.delete(turnId),
    clear: () => projects.clear(),
  };
}
