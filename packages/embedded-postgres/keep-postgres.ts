import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { PostgresFailed } from './postgres-failed.ts';
import { type EmbeddedPostgres, startPostgres } from './start-postgres.ts';

/** A PostgreSQL that restarts at the same URL when it ends, until `stop` is called. */
export type KeptPostgres = {
  url: string;
  /** Resolves with the reason, and only if PostgreSQL has ended and cannot be restarted. */
  lost: Promise<Error>;
  stop(): Promise<void>;
};

/** Processes of a killed server may live on for a short time and block the next start. */
const PAUSES_MS = [0, 500, 1_000, 2_000, 4_000, 8_000];

/** The maximum number of restarts within a minute. */
const MOST_STARTS = 5;
const MINUTE_MS = 60_000;

/** Starts PostgreSQL on a data folder and keeps it running. Calls `warn` each time it has ended. */
export async function keepPostgres(dataDir: string, warn: (sentence: string) => void): Promise<KeptPostgres> {
  let server = await startPostgres({ dataDir });
  const { url } = server;
  const port = Number(new URL(url).port);
  const starts: number[] = [];
  const stopping = new AbortController();

  async function keep(): Promise<void> {
    for (;;) {
      await server.exited;
      if (stopping.signal.aborted) return;
      warn('The embedded PostgreSQL has ended. Pawl restarts it.');
      await server.stop();
      refuseTooMany(starts, dataDir);
      const next = await startAgain({ dataDir, port }, stopping.signal);
      if (!next) return;
      server = next;
    }
  }
  const lost = Promise.withResolvers<Error>();
  const kept = keep().catch((error: unknown) =>
    lost.resolve(error instanceof Error ? error : new Error(String(error))),
  );
  return {
    url,
    lost: lost.promise,
    stop: async () => {
      stopping.abort();
      await server.stop();
      await kept;
    },
  };
}

function refuseTooMany(starts: number[], dataDir: string): void {
  const now = performance.now();
  starts.push(now);
  if (starts.filter((at) => now - at < MINUTE_MS).length <= MOST_STARTS) return;
  throw new PostgresFailed(
    `The embedded PostgreSQL has ended ${MOST_STARTS + 1} times within a minute. ` +
      `Check ${join(dataDir, 'postgres.log')}, or set DATABASE_URL.`,
  );
}

/** Restarts PostgreSQL. Returns undefined if `stop` was called. Never creates a new cluster if the data is missing. */
async function startAgain(
  { dataDir, port }: { dataDir: string; port: number },
  signal: AbortSignal,
): Promise<EmbeddedPostgres | undefined> {
  let reason: unknown;
  for (const pauseMs of PAUSES_MS) {
    await pause(pauseMs, undefined, { signal }).catch(() => {});
    if (signal.aborted) return undefined;
    if (!existsSync(join(dataDir, 'postgres', 'data'))) throw dataGone(dataDir);
    try {
      const server = await startPostgres({ dataDir, port });
      if (!signal.aborted) return server;
      await server.stop();
    } catch (error) {
      reason = error;
    }
  }
  throw reason;
}

function dataGone(dataDir: string): PostgresFailed {
  return new PostgresFailed(
    `The embedded PostgreSQL has ended, and its data in ${dataDir} was removed. ` +
      'Restore the folder, or set PAWL_DATA_DIR to a new folder, and start Pawl again.',
  );
}
