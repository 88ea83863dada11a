import type { Live, ToWatchers } from '#core/live/live.ts';
import type { LiveEvent } from '#core/turn/event.ts';
import type { Ring } from '#core/turn/ring.ts';

/** Something under way of a turn that can tell a newcomer what there is of it. */
export type UnderWay = { catchUp(): void };

/** Who watches the turns that this worker has on hand, and what they are told. */
export type Audience = {
  /** Tells of a checkpoint that made these rings owed: one of the turn's own says that it goes on. */
  news(turnId: string, rings: Ring[]): void;
  /** Tells that a turn surely goes on; those who only wait for its end need not know. */
  goesOn(turnId: string): void;
  /** Tells what is live of a turn, and never will be durable. */
  live(event: LiveEvent): void;
  /** What is there for newcomers to be told of, until disposed. */
  add(turnId: string, underWay: UnderWay): Disposable;
  /** Somebody watches a turn, now and for a while. */
  watched(turnId: string): void;
  /** Somebody has just come to a turn, or has missed something of it. */
  catchUp(turnId: string): void;
};

/** Whoever watches a turn says so every ten seconds; a word may get lost. */
const WATCHED_MS = 25_000;

/**
 * Keeps who watches. Most turns are only waited for: where nobody watches, nothing is said but that a turn has ended or
 * waits for somebody, and whoever comes to watch is told at once that there is news.
 */
export function makeAudience({ tellWatchers }: Pick<Live, 'tellWatchers'>): Audience {
  const underWay = new Map<string, Set<UnderWay>>();
  const watched = forAWhile();
  const untold = forAWhile();

  function tellWhoWatches(message: ToWatchers): void {
    if (watched.has(message.turnId)) tellWatchers(message);
    else if (message.kind === 'wake') untold.add(message.turnId);
  }
  return {
    news: (turnId, rings) => {
      const goesOn = rings.some((ring) => ring.kind === 'turn' && ring.turnId === turnId);
      if (goesOn) tellWhoWatches({ kind: 'wake', turnId, goesOn });
      else tellWatchers({ kind: 'wake', turnId });
    },
    goesOn: (turnId) => tellWhoWatches({ kind: 'wake', turnId, goesOn: true }),
    live: (event) => tellWhoWatches({ kind: 'event', turnId: event.turn_id, event }),
    add: (turnId, part) => {
      const parts = underWay.get(turnId) ?? new Set();
      underWay.set(turnId, parts.add(part));
      return {
        [Symbol.dispose]: () => {
          parts.delete(part);
          if (parts.size === 0 && underWay.get(turnId) === parts) underWay.delete(turnId);
        },
      };
    },
    watched: watched.add,
    catchUp: (turnId) => {
      watched.add(turnId);
      if (untold.delete(turnId)) tellWatchers({ kind: 'wake', turnId });
      for (const part of underWay.get(turnId) ?? []) part.catchUp();
    },
  };
}

/** Ids that were added of late, the latest last. */
function forAWhile() {
  const until = new Map<string, number>();

  return {
    has: (id: string) => (until.get(id) ?? 0) > performance.now(),
    delete: (id: string) => until.delete(id),
    add: (id: string) => {
      const now = performance.now();
      until.delete(id);
      until.set(id, now + WATCHED_MS);
      for (const [oldest, end] of until) {
        if (end > now) return;
        until.delete(oldest);
      }
    },
  };
}
