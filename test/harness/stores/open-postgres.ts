import { startPostgres } from '#embedded-postgres/start-postgres.ts';

/** A PostgreSQL of our own, which can crash and come back at the same URL. */
export type TestPostgres = AsyncDisposable & {
  url: string;
  port: number;
  pid(): number;
  /** Stops it in order; it stays away until `start`. */
  stop(): Promise<void>;
  /** Stops it as a crash would: every process at once, nothing written any more. */
  crash(): Promise<void>;
  /** Starts it again on the same port; after a crash it replays its log. */
  start(): Promise<void>;
};

/** `durable`: what it has acknowledged outlives a crash, and its writes take their time. */
type PostgresOptions = { folder: string; durable: boolean };

/** Starts PostgreSQL on a folder, with an empty database. */
export async function openPostgres({ folder, durable }: PostgresOptions): Promise<TestPostgres> {
  let server = await startPostgres({ dataDir: folder, durable });
  const { url } = server;
  const port = Number(new URL(url).port);
  return {
    url,
    port,
    pid: () => server.pid,
    stop: () => server.stop(),
    crash: () => {
      process.kill(server.pid, 'SIGQUIT');
      return server.stop();
    },
    start: async () => {
      server = await startPostgres({ dataDir: folder, port, durable });
    },
    [Symbol.asyncDispose]: () => server.stop(),
  };
}
