import { startPostgres } from '#embedded-postgres/start-postgres.ts';

/** A separate PostgreSQL that can crash and restart at the same URL. */
export type TestPostgres = AsyncDisposable & {
  url: string;
  port: number;
  pid(): number;
  /** Shuts it down cleanly. It stays down until `start`. */
  stop(): Promise<void>;
  /** Stops it as a crash would: all processes end at once, without another write. */
  crash(): Promise<void>;
  /** Starts it again on the same port. After a crash it replays its log. */
  start(): Promise<void>;
};

/** `durable`: acknowledged writes survive a crash, and take their time. */
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
