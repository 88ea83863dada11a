import type { Pubsub, TurnMessage } from '#core/pubsub/pubsub.ts';
import type { LiveEvent } from '#core/turn/event.ts';
import type { Wakeup } from '#core/turn/wakeup.ts';

/** Something in flight on a turn, which can publish all there is of it so far. */
export type InFlight = { catchUp(): void };

/** Publishes what happens to the turns that this worker is on, where they are watched. */
export type Watchers = {
  /** Publishes a checkpoint that made these wakeups due: one of the turn's own means that it goes on. */
  publishChange(turnId: string, wakeups: Wakeup[]): void;
  /** Publishes that a turn surely goes on; clients that only wait for its end need not know. */
  publishContinued(turnId: string): void;
  /** Publishes what is never stored. */
  publishLive(event: LiveEvent): void;
  /** Has new watchers caught up with it, until disposed. */
  trackInFlight(turnId: string, part: InFlight): Disposable;
  /** Whether a turn has watchers. */
  isWatched(turnId: string): boolean;
  /** A turn has watchers, now and for a while. */
  markWatched(turnId: string): void;
  /** A watcher has just come to a turn, or has missed something of it. */
  catchUp(turnId: string): void;
};

/** Watchers announce themselves every ten seconds; a message may get lost. */
const WATCHED_MS = 25_000;

/**
 * Keeps which turns are watched. Clients only wait for the end of most turns: without watchers, nothing is published but that
 * a turn has ended or waits for input. A watcher that comes later learns at once that there is something new.
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

/** Ids that were added lately, the latest last. */
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
