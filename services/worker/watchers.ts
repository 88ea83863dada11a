import type { Pubsub, TurnMessage } from '#core/pubsub/pubsub.ts';
import type { LiveEvent } from '#core/turn/event.ts';
import type { Wakeup } from '#core/turn/wakeup.ts';

/** A request or call in flight, which can publish its progress so far again. */
export type InFlight = { catchUp(): void };

/** Publishes events of the turns that this worker runs, if clients watch them. */
export type Watchers = {
  /** Publishes a checkpoint that made these wakeups due. A wakeup of the turn itself means that the turn continues. */
  publishChange(turnId: string, wakeups: Wakeup[]): void;
  /** Publishes that a turn certainly continues. Clients that only wait for its end need not know. */
  publishContinued(turnId: string): void;
  /** Publishes an event that is never stored. */
  publishLive(event: LiveEvent): void;
  /** Lets new watchers catch up with a part until it is disposed. */
  trackInFlight(turnId: string, part: InFlight): Disposable;
  /** Returns whether a turn has watchers. */
  isWatched(turnId: string): boolean;
  /** Notes that a turn has watchers, now and for a while. */
  markWatched(turnId: string): void;
  /** Publishes the progress of a turn, for a watcher that has just arrived or has missed an event. */
  catchUp(turnId: string): void;
};

/**
 * The time for which a turn counts as watched. Watchers announce themselves every ten seconds, and a message may get
 * lost.
 */
const WATCHED_MS = 25_000;

/**
 * Keeps track of the watched turns. Clients only wait for the end of most turns. So without watchers, a turn
 * publishes only that it has ended or waits for input. A watcher that arrives later learns at once that the turn has
 * changed.
 */
export function makeWatchers({ publishToTurn }: Pick<Pubsub, 'publishToTurn'>): Watchers {
  const inFlight = new Map<string, Set<InFlight>>();
  const watched = expiringIds();
  const unpublished = expiringIds();

  function publishIfWatched(message: TurnMessage): void {
    if (watched.has(message.turnId)) publishToTurn(message);
    else if (message.kind === 'wake') unpublished.add(message.turnId);
  }
  return {
    publishChange: (turnId, wakeups) => {
      const goesOn = wakeups.some((wakeup) => wakeup.kind === 'turn' && wakeup.turnId === turnId);
      if (goesOn) publishIfWatched({ kind: 'wake', turnId, goesOn });
      else publishToTurn({ kind: 'wake', turnId });
    },
    publishContinued: (turnId) => publishIfWatched({ kind: 'wake', turnId, goesOn: true }),
    publishLive: (event) => publishIfWatched({ kind: 'event', turnId: event.turn_id, event }),
    trackInFlight: (turnId, part) => {
      const parts = inFlight.get(turnId) ?? new Set();
      inFlight.set(turnId, parts.add(part));
      return {
        [Symbol.dispose]: () => {
          parts.delete(part);
          if (parts.size === 0 && inFlight.get(turnId) === parts) inFlight.delete(turnId);
        },
      };
    },
    isWatched: watched.has,
    markWatched: watched.add,
    catchUp: (turnId) => {
      watched.add(turnId);
      if (unpublished.delete(turnId)) publishToTurn({ kind: 'wake', turnId });
      for (const part of inFlight.get(turnId) ?? []) part.catchUp();
    },
  };
}

/** Makes a set of ids that were added lately, the latest last. */
function expiringIds() {
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
