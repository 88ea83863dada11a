import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { findFreePort } from '#embedded-postgres/find-free-port.ts';
import { type EmbeddedPostgres, startPostgres } from '#embedded-postgres/start-postgres.ts';
import { type Link, openLink } from '../links/open-link.ts';
import { waitUntil } from '../wait-until.ts';
import { copyAsStandby, STANDBY_NAME } from './copy-as-standby.ts';
import { runStatement } from './run-statement.ts';

/** Two PostgreSQL servers: a primary, and a standby that streams from it. `url` names both. */
export type FailoverPair = AsyncDisposable & {
  url: string;
  /** The ports of both servers. A server that replaces another has its port. */
  ports: number[];
  primaryUrl(): string;
  /** Returns the link between the standby and its primary. */
  replication(): Link;
  /** Waits until the standby has all present commits. */
  untilReplayed(): Promise<void>;
  /** Kills the primary with SIGKILL. It stays down. */
  killPrimary(): Promise<void>;
  /** Stops the primary as a crash would, and starts it again. */
  crashPrimary(): Promise<void>;
  startPrimary(): Promise<void>;
  /** Promotes the standby. Resolves when it accepts writes. */
  promote(): Promise<void>;
  /** Starts a standby in place of the killed primary, as at the start. */
  replaceStandby(): Promise<void>;
};

type PairOptions = {
  folder: string;
  durable?: boolean;
  /** Whether each commit of the primary waits for the standby. */
  synchronous?: boolean;
};

type Member = { name: string; port: number; server: EmbeddedPostgres };
type Pair = Required<PairOptions> & { primary: Member; standby: Member; link: Link; count: number };

/** Starts a primary with an empty database, and a standby that streams from it. */
export async function openFailoverPair({
  folder,
  durable = false,
  synchronous = true,
}: PairOptions): Promise<FailoverPair> {
  const options = { folder, durable, synchronous };
  const primary = await startMember('server-1', await findFreePort(), options);
  await runStatement(primary.server.url, `alter system set wal_keep_size = '1GB'`);
  await runStatement(primary.server.url, 'select pg_reload_conf()');
  const link = await openLink(primary.port);
  const standbyAt = { name: 'server-2', port: await findFreePort(), server: primary.server };
  const pair: Pair = { ...options, primary, standby: standbyAt, link, count: 1 };
  await startStandby(pair);
  const { url } = primary.server;
  return {
    url: url.replace(/@([^/]+)/, `@$1,${new URL(pair.standby.server.url).host}`),
    ports: [primary.port, standbyAt.port],
    primaryUrl: () => pair.primary.server.url,
    replication: () => pair.link,
    untilReplayed: () => untilReplayed(pair),
    killPrimary: () => killPrimary(pair),
    crashPrimary: () => {
      process.kill(pair.primary.server.pid, 'SIGQUIT');
      return pair.primary.server.stop();
    },
    startPrimary: async () => {
      pair.primary = await startMember(pair.primary.name, pair.primary.port, pair);
    },
    promote: () => promote(pair),
    replaceStandby: () => startStandby(pair),
    [Symbol.asyncDispose]: async () => {
      await pair.link[Symbol.asyncDispose]();
      await Promise.all([pair.standby.server.stop(), pair.primary.server.stop()]);
    },
  };
}

async function startMember(name: string, port: number, { folder, durable }: PairOptions): Promise<Member> {
  return { name, port, server: await startPostgres({ dataDir: join(folder, name), port, durable: durable ?? false }) };
}

async function untilReplayed({ primary: { server } }: Pair): Promise<void> {
  const [now] = await runStatement(server.url, 'select pg_current_wal_insert_lsn()::text as lsn');
  await waitUntil(async () => {
    const [row] = await runStatement(
      server.url,
      `select replay_lsn >= '${now?.lsn}' as is_there from pg_stat_replication`,
    );
    return row?.is_there === true;
  }, 'the standby has replayed all commits');
}

async function killPrimary({ primary, folder }: Pair): Promise<void> {
  process.kill(primary.server.pid, 'SIGKILL');
  await primary.server.exited;
  await primary.server.stop();
  // Its last processes may still write for a moment.
  await rm(join(folder, primary.name), { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
}

/** Promotes the standby. The folder of the primary is then free, and the standby keeps its folder. */
async function promote(pair: Pair): Promise<void> {
  await runStatement(pair.standby.server.url, 'select pg_promote(true, 60)');
  [pair.primary, pair.standby] = [pair.standby, pair.primary];
}

async function startStandby(pair: Pair): Promise<void> {
  const { folder, primary, standby, synchronous } = pair;
  await pair.link[Symbol.asyncDispose]();
  pair.link = await openLink(primary.port);
  pair.count += 1;
  const name = `server-${pair.count}`;
  const copy = { data: join(folder, primary.name), to: join(folder, name), port: pair.link.port };
  await copyAsStandby(primary.server.url, copy);
  pair.standby = await startMember(name, standby.port, pair);
  if (synchronous) {
    await runStatement(primary.server.url, `alter system set synchronous_standby_names = '${STANDBY_NAME}'`);
    await runStatement(primary.server.url, 'select pg_reload_conf()');
  }
  await waitUntil(async () => {
    const [row] = await runStatement(primary.server.url, 'select state, sync_state from pg_stat_replication');
    return row?.state === 'streaming' && row.sync_state === (synchronous ? 'sync' : 'async');
  }, 'the standby follows');
}
