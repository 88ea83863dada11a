import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { SESSION, startupOptions } from '../../postgres/session.ts';
import { writerAt } from '../../postgres/writer.ts';
import type { JobWaiter, Marker, WaitingWorker } from '../bullmq/job-waiter.ts';
import { likeLibpq } from './like-libpq.ts';

/** The channel on which BullMQ announces each added job, with the name of its queue. */
const CHANNEL = 'bullmq_jobs';

/**
 * The time between pings. A connection that does not answer a ping in time is dead, although its socket may be open.
 */
const PING_EVERY_MS = 3_000;
const PING_TIMEOUT_MS = 5_000;

/**
 * The pause before a broken connection is opened again, and the longer pause after a connection could not be opened.
 */
const REOPEN_MS = 100;
const RETRY_MS = 1_000;

/** The seconds between polls of a worker while no notification can reach it. */
const POLL_S = 1;

type WakeableWorker = WaitingWorker & { wake(): void };

/**
 * Lets all workers of a process wait on one connection that listens. After a break, opens it again and wakes every
 * worker, since notifications were lost. `onError` gets the reason.
 */
export function listenForJobs(url: string, onError: (error: unknown) => void): JobWaiter {
  const workers = new Map<string, Set<WakeableWorker>>();
  const closing = new AbortController();
  let listening: Promise<void> | null = null;
  let isListening = false;

  function wakeAll(): void {
    for (const inQueue of workers.values()) for (const worker of inQueue) worker.wake();
  }
  async function keepListening(): Promise<void> {
    while (!closing.signal.aborted) {
      const started = () => {
        isListening = true;
        wakeAll();
      };
      const notified = (queue: string) => {
        for (const worker of workers.get(queue) ?? []) worker.wake();
      };
      const pauseMs = await listen(url, { started, notified, signal: closing.signal }).then(
        () => REOPEN_MS,
        (error: unknown) => {
          onError(error);
          return RETRY_MS;
        },
      );
      isListening = false;
      wakeAll();
      await sleep(pauseMs, undefined, { signal: closing.signal, ref: false }).catch(() => {});
    }
  }
  return {
    join: (queue) => {
      const worker = openWakeableWorker(() => {
        listening ??= keepListening();
        return isListening;
      });
      const inQueue = workers.get(queue) ?? new Set();
      workers.set(queue, inQueue);
      return {
        startFetch: () => {
          inQueue.add(worker);
          return worker.startFetch();
        },
        wait: worker.wait,
        interrupt: () => {
          inQueue.delete(worker);
          worker.interrupt();
        },
      };
    },
    close: async () => {
      closing.abort();
      await listening;
    },
  };
}

function openWakeableWorker(isListening: () => boolean): WakeableWorker {
  let wakeups = 0;
  let answered = 0;
  let finish: ((marker: Marker | null) => void) | null = null;
  return {
    startFetch: () => {
      const seen = wakeups;
      return () => {
        answered = Math.max(answered, seen);
      };
    },
    wait: (seconds) => {
      const timeoutS = isListening() ? seconds : Math.min(seconds, POLL_S);
      if (wakeups > answered) return Promise.resolve({ member: '0', score: 0 });
      return new Promise((resolve) => {
        const timer = setTimeout(() => finish?.(null), timeoutS * 1_000);
        finish = (marker) => {
          clearTimeout(timer);
          finish = null;
          resolve(marker);
        };
      });
    },
    wake: () => {
      wakeups += 1;
      finish?.({ member: '0', score: 0 });
    },
    interrupt: () => finish?.(null),
  };
}

type Listening = { started(): void; notified(queue: string): void; signal: AbortSignal };

async function listen(url: string, { started, notified, signal }: Listening): Promise<void> {
  const writer = writerAt(url);
  const client = new pg.Client({
    connectionString: likeLibpq(writer.url),
    ...(writer.stream && { stream: writer.stream }),
    keepAlive: true,
    connectionTimeoutMillis: PING_TIMEOUT_MS,
    query_timeout: PING_TIMEOUT_MS,
    options: startupOptions(SESSION),
    application_name: 'pawl-queue-listen',
  });
  const ended = new AbortController();
  client.on('error', () => ended.abort());
  client.on('end', () => ended.abort());
  client.on('notification', ({ payload }) => notified(payload ?? ''));
  try {
    await client.connect();
    await client.query(`listen ${CHANNEL}`);
    started();
    const over = AbortSignal.any([signal, ended.signal]);
    while (!over.aborted) {
      await sleep(PING_EVERY_MS, undefined, { signal: over, ref: false }).catch(() => {});
      if (!over.aborted) await client.query('select 1');
    }
  } finally {
    void client.end().catch(() => {});
  }
}
