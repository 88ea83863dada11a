import { join } from 'node:path';
import { startPostgres } from '#embedded-postgres/start-postgres.ts';
import { migrateAll } from '#services/migrate/migrate-all.ts';
import { copyAsStandby } from './copy-as-standby.ts';
import { runStatement } from './run-statement.ts';

/** A migrated PostgreSQL at `url`, and at `readUrl` a standby that copies it asynchronously. */
export type ReplicatedPostgres = AsyncDisposable & {
  url: string;
  readUrl: string;
  /** Pauses the replay, so that the standby lags from now on. */
  pauseReplay(): Promise<void>;
  resumeReplay(): Promise<void>;
  /** Kills the standby with SIGKILL. It stays down. */
  killStandby(): Promise<void>;
  /** Promotes the standby. Resolves when it accepts writes. */
  promote(): Promise<void>;
  /** Stops the primary first, which sends its last commits to the standby, and promotes the standby. */
  failOver(): Promise<void>;
};

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
      // A pause takes effect after the record that is being replayed.
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
