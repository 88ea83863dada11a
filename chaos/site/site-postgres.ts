import postgres from 'postgres';
import { migrateAll } from '#services/migrate/migrate-all.ts';
import { findFreePort } from '#services/standalone/embedded-postgres/find-free-port.ts';
import { type EmbeddedPostgres, startPostgres } from '#services/standalone/embedded-postgres/start-postgres.ts';

/** The PostgreSQL of a run: durable, since what it has acknowledged must outlive an immediate stop. */
export type SitePostgres = AsyncDisposable & {
  url: string;
  port: number;
  /** The driver's own connections, past all links. */
  sql: postgres.Sql;
  /** Stops it as a crash would: every process at once, nothing written any more. */
  crash(): Promise<void>;
  /** Starts it again on the same port; it replays its log. */
  start(): Promise<void>;
};

/** Starts PostgreSQL in a folder and brings its tables. */
export async function openSitePostgres(folder: string): Promise<SitePostgres> {
  const port = await findFreePort();
  const start = () => startPostgres({ dataDir: folder, port, durable: true });
  let server: EmbeddedPostgres = await start();
  let sql: postgres.Sql | undefined;
  const close = async () => {
    await sql?.end({ timeout: 1 });
    await server.stop();
  };
  try {
    await migrateAll(server.url);
    sql = openSql(server.url);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    url: server.url,
    port,
    sql,
    crash: () => {
      process.kill(server.pid, 'SIGQUIT');
      return server.stop();
    },
    start: async () => {
      server = await start();
    },
    [Symbol.asyncDispose]: close,
  };
}

/** Types are not asked for: nobody could catch that when it is cut off. */
function openSql(url: string): postgres.Sql {
  const connection = { application_name: 'chaos', statement_timeout: 20_000 };
  const backoff = () => 0.2;
  return postgres(url, { max: 5, fetch_types: false, onnotice: () => {}, connect_timeout: 5, backoff, connection });
}
