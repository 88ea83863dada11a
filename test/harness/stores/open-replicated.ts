import { join } from 'node:path';
import { startPostgres } from '#embedded-postgres/start-postgres.ts';
import { migrateAll } from '#services/migrate/migrate-all.ts';
import { copyAsStandby } from './copy-as-standby.ts';
import { runStatement } from './run-statement.ts';

/** A migrated PostgreSQL at `url`, and at `readUrl` a standby that copies it and is not waited for. */
export type ReplicatedPostgres = AsyncDisposable & {
  url: string;
  readUrl: string;
  /** Lets the standby fall behind, from now on. */
  pauseReplay(): Promise<void>;
  resumeReplay(): Promise<void>;
  /** Kills the standby with SIGKILL; it stays away. */
  killStandby(): Promise<void>;
  /** Lets the standby take writes; answers once it does. */
  promote(): Promise<void>;
  /** The same, once the primary has stopped, which gives the standby all that it has. */
  failOver(): Promise<void>;
};

/** Starts both. */
export async function openReplicated(folder: string): Promise<ReplicatedPostgres> {
  const [first, second] = ['first', 'second'].map((name) => join(folder, name)) as [string, string];
  const primary = await startPostgres({ dataDir: first, durable: false });
  await migrateAll(primary.url);
  await copyAsStandby(primary.url, { data: first, to: second, port: Number(new URL(primary.url).port) });
  const standby = await startPostgres({ dataDir: second, durable: false });
  const onStandby = async (statement: string) => void (await runStatement(standby.url, statement));
  return {
    url: primary.url,
    readUrl: standby.url,
    pauseReplay: async () => {
      await onStandby('select pg_wal_replay_pause()');
      // What is being replayed at the moment is replayed.
      await onStandby(PAUSED);
    },
    resumeReplay: () => onStandby('select pg_wal_replay_resume()'),
    killStandby: async () => {
      process.kill(standby.pid, 'SIGKILL');
      await standby.exited;
    },
    promote: () => onStandby('select pg_promote(true, 60)'),
    failOver: async () => {
      await primary.stop();
      await onStandby('select pg_promote(true, 60)');
    },
    [Symbol.asyncDispose]: async () => void (await Promise.all([primary.stop(), standby.stop()])),
  };
}

const PAUSED = `do $$ begin
  while pg_get_wal_replay_pause_state() <> 'paused' loop perform pg_sleep(0.01); end loop;
end $$`;
