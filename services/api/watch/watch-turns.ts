import type { Db } from '#core/checkpoint/database.ts';
import { loadTurn } from '#core/checkpoint/load-turn.ts';
import type { Live } from '#core/live/live.ts';
import type { Turn } from '#core/turn/turn.ts';
import type { Log } from '../../log.ts';
import { type Following, followTurn, type Sink } from './follow-turn.ts';
import { makeUnderWay } from './under-way.ts';
import { type IsEnough, type Patience, waitForTurn } from './wait-for-turn.ts';
import { type Watching, watchTurn } from './watch-turn.ts';

/** The turns that are watched in this process, each by one subscription and one reading for all who watch it. */
export type TurnWatch = {
  /**
   * Answers as soon as a turn is enough, else with what is true when the time is up. Undefined when there is no such
   * turn, or when the caller has gone.
   */
  waitFor(turnId: string, isEnough: IsEnough, patience: Patience): Promise<Turn | undefined>;
  /** Writes a turn's events after a number as server-sent events, to the end of the turn; leaving it ends nothing else. */
  follow(turnId: string, after: number, sink: Sink): Following;
  /** What is watched now. */
  count(): { turns: number; streams: number; waiters: number };
  /** Ends all streams and answers all who wait; what was being read has been read then. */
  close(): Promise<void>;
};

const HEARTBEAT_MS = 10_000;

/** Makes the watch of a process. */
export function makeTurnWatch(parts: { db: Db; live: Live; log: Log; heartbeatMs?: number }): TurnWatch {
  const context = { heartbeatMs: HEARTBEAT_MS, underWay: makeUnderWay(), ...parts };
  const byTurn = new Map<string, Watching>();
  const unhear = context.live.hearWorkers(({ kind }) => {
    if (kind === 'who-watches') for (const watching of byTurn.values()) watching.sayWatched();
  });
  let isClosed = false;

  function watchingOf(turnId: string): Watching {
    const watching = byTurn.get(turnId) ?? watchTurn(turnId, context, () => byTurn.delete(turnId));
    byTurn.set(turnId, watching);
    return watching;
  }
  return {
    waitFor: async (turnId, isEnough, patience) => {
      const turn = isClosed ? undefined : await waitForTurn(watchingOf(turnId), isEnough, patience);
      if (turn || patience.signal?.aborted) return turn;
      return loadTurn(context.db, turnId);
    },
    follow: (turnId, after, sink) => {
      if (!isClosed) return followTurn(watchingOf(turnId), context, { after, sink });
      sink.end();
      return { advance: () => {}, leave: () => {} };
    },
    count: () => countOf([...byTurn.values()]),
    close: async () => {
      isClosed = true;
      unhear();
      const all = [...byTurn.values()].flatMap(({ watched }) => [...watched.streams, ...watched.waiters]);
      for (const watcher of all) watcher.end();
      await context.underWay.ended();
    },
  };
}

function countOf(all: Watching[]) {
  const sum = (sizeOf: (watching: Watching) => number) => all.reduce((total, watching) => total + sizeOf(watching), 0);
  return {
    turns: all.length,
    streams: sum(({ watched }) => watched.streams.size),
    waiters: sum(({ watched }) => watched.waiters.size),
  };
}
