import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Cluster, Redis } from 'ioredis';
import type { JobWaiter, Marker } from '../bullmq/job-waiter.ts';

/**
 * The maximum of blocking connections. One provider has this many queues with `sim`, and so a connection for each
 * queue.
 */
const MAX_BLOCKING_CONNECTIONS = 4;

/** The duration of a blocking command, in seconds. */
export const BLOCK_S = 5;

const REOPEN_MS = 1_000;

type Client = Redis | Cluster;

type BlockingConnection = {
  wait(key: string, seconds: number): Promise<Marker | null>;
  leave(key: string): void;
  close(): void;
};

/** Lets all workers of a process wait on a few connections that block on their markers. `sending` never blocks. */
export function blockForJobs(openBlocking: () => Client, sending: Client, prefix: string): JobWaiter {
  const connections: BlockingConnection[] = [];
  const connectionsOf = new Map<string, BlockingConnection>();

  function connectionOf(key: string): BlockingConnection {
    const known = connectionsOf.get(key);
    if (known) return known;
    const index = connectionsOf.size % MAX_BLOCKING_CONNECTIONS;
    const connection = connections[index] ?? openBlockingConnection(openBlocking(), sending, prefix);
    connections[index] = connection;
    connectionsOf.set(key, connection);
    return connection;
  }
  return {
    join: (queue) => {
      const key = `${prefix}:${queue}:marker`;
      return {
        // A marker stays in Redis until a worker takes it, so a fetch keeps no state.
        startFetch: () => () => {},
        wait: (seconds) => connectionOf(key).wait(key, seconds),
        interrupt: () => connectionsOf.get(key)?.leave(key),
      };
    },
    close: async () => {
      for (const connection of connections) connection.close();
    },
  };
}

/**
 * Opens a connection that blocks for several queues. If it takes a marker that no worker waits for, it returns the
 * marker for a worker of another process. If the connection fails, its waiting workers poll about once a second.
 */
function openBlockingConnection(blocking: Client, sending: Client, prefix: string): BlockingConnection {
  const wakeup = `${prefix}:wakeup:${randomUUID()}`;
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
      } else if (taken && taken[0] !== wakeup) passOn(...taken);
    }
    isRunning = false;
  }
  function passOn(key: string, member: string, score: string): void {
    const isTaken = waits.finish(key, { member, score: Number.parseInt(score, 10) });
    if (!isTaken) sending.zadd(key, 'NX', score, member).catch(() => {});
  }
  /** Ends the current blocking command through its own key: a command that is still on its way finds the key too. */
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
