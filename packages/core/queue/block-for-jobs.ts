import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import type { JobWaiter, Marker } from './wait-together.ts';

/** Blocking connections at most: one provider has this many queues with `sim`, and so a connection for each of them. */
const LANES = 4;

/** How long one blocking command lasts, seconds. */
export const BLOCK_S = 5;

const REOPEN_MS = 1_000;

type Lane = { wait(key: string, seconds: number): Promise<Marker | null>; leave(key: string): void; close(): void };

/**
 * All workers of a process wait on a few connections, each of which blocks on the markers of the queues whose worker waits
 * just now. `sending` is a connection that never blocks.
 */
export function blockForJobs(openBlocking: () => Redis, sending: Redis, prefix: string): JobWaiter {
  const lanes: Lane[] = [];
  const lanesOf = new Map<string, Lane>();

  function laneOf(key: string): Lane {
    const known = lanesOf.get(key);
    if (known) return known;
    const place = lanesOf.size % LANES;
    const lane = lanes[place] ?? openLane(openBlocking(), sending);
    lanes[place] = lane;
    lanesOf.set(key, lane);
    return lane;
  }
  return {
    join: (queue) => {
      const key = `${prefix}:${queue}:marker`;
      return {
        // A marker stays in Redis until a worker takes it, so there is nothing to forget.
        asks: () => () => {},
        wait: (seconds) => laneOf(key).wait(key, seconds),
        interrupt: () => lanesOf.get(key)?.leave(key),
      };
    },
    close: async () => {
      for (const lane of lanes) lane.close();
    },
  };
}

/**
 * One connection that blocks for several queues. A marker that it takes while no worker waits for it goes back, for a
 * worker of another process. Where the connection fails, the workers that wait on it ask by themselves, about once a second.
 */
function openLane(blocking: Redis, sending: Redis): Lane {
  const wakeup = `pawl:wakeup:${randomUUID()}`;
  const waits = openWaits();
  let blockedOn: Set<string> | null = null;
  let isRunning = false;

  async function run(): Promise<void> {
    isRunning = true;
    for (let keys = waits.keys(); keys.size > 0; keys = waits.keys()) {
      blockedOn = keys;
      const taken = await blocking.bzpopmin([wakeup, ...keys], BLOCK_S).catch(() => 'failed' as const);
      blockedOn = null;
      if (taken === 'failed') {
        waits.finishAll();
        await sleep(REOPEN_MS, undefined, { ref: false });
      } else if (taken && taken[0] !== wakeup) hand(...taken);
    }
    isRunning = false;
  }
  function hand(key: string, member: string, score: string): void {
    const isTaken = waits.finish(key, { member, score: Number.parseInt(score, 10) });
    if (!isTaken) sending.zadd(key, 'NX', score, member).catch(() => {});
  }
  /** Ends the blocking command that goes on, by a key of its own: one that is only on its way finds it as well. */
  function unblock(): void {
    blockedOn = null;
    const sent = sending
      .pipeline()
      .zadd(wakeup, 0, '0')
      .pexpire(wakeup, BLOCK_S * 1_000);
    sent.exec().catch(() => {});
  }
  return {
    wait: (key, seconds) => {
      const waiting = waits.add(key, seconds);
      if (!isRunning) void run();
      else if (blockedOn && !blockedOn.has(key)) unblock();
      return waiting;
    },
    leave: (key) => {
      while (waits.finish(key, null));
      if (blockedOn?.has(key)) unblock();
    },
    close: () => {
      waits.finishAll();
      blocking.disconnect();
    },
  };
}

/** The waits that go on, by the key of their marker. */
function openWaits() {
  const waits = new Set<{ key: string; finish(marker: Marker | null): void }>();

  return {
    add: (key: string, seconds: number): Promise<Marker | null> =>
      new Promise((resolve) => {
        const finish = (marker: Marker | null) => {
          clearTimeout(timer);
          waits.delete(wait);
          resolve(marker);
        };
        const timer = setTimeout(() => finish(null), seconds * 1_000);
        const wait = { key, finish };
        waits.add(wait);
      }),
    keys: () => new Set([...waits].map(({ key }) => key)),
    /** Ends one wait for this key; false where there is none. */
    finish: (key: string, marker: Marker | null): boolean => {
      const found = [...waits].find((wait) => wait.key === key);
      found?.finish(marker);
      return found !== undefined;
    },
    finishAll: () => {
      for (const wait of waits) wait.finish(null);
    },
  };
}
