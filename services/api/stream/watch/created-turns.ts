import type { TurnWake } from '#core/pubsub/pubsub.ts';
import type { Turn } from '#core/turn/turn.ts';

/**
 * The turns that this process has created in the last 10 s and that, by their wakes, have not settled since. A client
 * that waits for such a turn to settle waits for its wake, without a reading first. An older turn is read first,
 * because its wake may never have been sent. At most 10,000 turns are kept, in about 200 bytes each.
 */
export type CreatedTurns = {
  /** Adds a turn after the commit that created it, unless it has changed since or does not start out as queued. */
  add(turn: Pick<Turn, 'id' | 'project' | 'status'>): void;
  /**
   * Returns whether a turn of a project was created here in the last 10 s and has not settled, unless a wake was
   * lost.
   */
  has(turnId: string, project: string): boolean;
  changed(wake: TurnWake): void;
  /** Removes a turn, because a client has waited for it: a later one reads it first, in case the wake was lost. */
  delete(turnId: string): void;
  /** Forgets all turns, because wakes may be lost. */
  clear(): void;
};

const MOST_TURNS = 10_000;

/** One heartbeat of the API: a watched turn is read as often, so a lost wake costs no more time than that. */
const LONGEST_MS = 10_000;

/** Wakes may arrive before the answer to the commit that created their turn. */
const MOST_WAKES = 1_000;

/** Keeps the turns that this process has created. `now` is a monotonic time in milliseconds. */
export function makeCreatedTurns(now: () => number = () => performance.now()): CreatedTurns {
  const created = new Map<string, Created>();
  const woken = new Map<string, true>();
  const isOld = ({ at }: Created) => now() - at > LONGEST_MS;

  function deleteOld(): void {
    for (const [turnId, turn] of created) {
      if (!isOld(turn)) return;
      created.delete(turnId);
    }
  }

  return {
    add: ({ id, project, status }) => {
      deleteOld();
      if (status !== 'queued' || woken.has(id)) return;
      keep(created, { key: id, value: { project, at: now() }, most: MOST_TURNS });
    },
    has: (turnId, project) => {
      const turn = created.get(turnId);
      return turn?.project === project && !isOld(turn);
    },
    changed: ({ turnId, goesOn }) => {
      if (goesOn || created.delete(turnId)) return;
      keep(woken, { key: turnId, value: true, most: MOST_WAKES });
    },
    delete: (turnId) => void created.delete(turnId),
    clear: () => created.clear(),
  };
}

type Created = { project: string; at: number };

type Entry<Value> = { key: string; value: Value; most: number };

/** Adds an entry to a map, and removes the oldest entry if there are too many. */
function keep<Value>(map: Map<string, Value>, { key, value, most }: Entry<Value>): void {
  map.set(key, value);
  if (map.size <= most) return;
  for (const oldest of map.keys()) {
    map.delete(oldest);
    return;
  }
}
