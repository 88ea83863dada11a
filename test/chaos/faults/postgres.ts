import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import type { ChaosHarness } from '../open-harness.ts';
import type { Fault, FaultOutcome } from './fault.ts';

const INTERVAL_MS = 150;
const SLOTS = 240;

/** Calls `pg_terminate_backend` for some of Pawl's connections, repeatedly for a while. */
export const terminateBackends: Fault = (harness, { lastsMs }) =>
  signalBackends(harness, { lastsMs, word: 'terminated', signal: 'pg_terminate_backend', share: 0.3, states: 'any' });

/** Cancels running statements, as a statement timeout does. */
export const cancelStatements: Fault = (harness, { lastsMs }) =>
  signalBackends(harness, { lastsMs, word: 'cancelled', signal: 'pg_cancel_backend', share: 1, states: 'active' });

type Signalling = {
  lastsMs: number;
  word: string;
  signal: 'pg_terminate_backend' | 'pg_cancel_backend';
  share: number;
  states: 'any' | 'active';
};

async function signalBackends({ sql }: ChaosHarness, signalling: Signalling): Promise<FaultOutcome> {
  const { lastsMs, word, signal, share, states } = signalling;
  const everyMs = states === 'active' ? 5 : INTERVAL_MS;
  const until = Date.now() + lastsMs;
  let count = 0;
  do {
    const [row] = await sql<{ count: number }[]>`select count(*) filter (where ${sql(signal)}(pid))::int as count
      from pg_stat_activity where application_name like 'pawl%' and random() < ${share}
        and (${states} = 'any' or state = 'active')`;
    count += row?.count ?? 0;
    await sleep(everyMs);
  } while (Date.now() < until);
  return { evidence: count > 0 ? `${count} backends ${word}` : null, endedAt: Date.now(), scope: 'all' };
}

/** Locks the table of the work: every statement on it waits, pools are exhausted, and lock timeouts follow. */
export const lockTurns: Fault = async ({ sql }, { lastsMs }) => {
  let waited = 0;
  await sql.begin(async (trx) => {
    await trx`lock table work in access exclusive mode`;
    await sleep(lastsMs);
    const [row] = await trx<{ count: number }[]>`select count(*)::int from pg_locks where not granted`;
    waited = row?.count ?? 0;
  });
  return {
    evidence: waited > 0 ? `${waited} statements waited for the lock` : null,
    endedAt: Date.now(),
    scope: 'all',
  };
};

/** Takes every free connection of PostgreSQL for other clients, and ends some of Pawl's. */
export const takeAllConnections: Fault = async ({ sql, postgres: { url } }, { lastsMs }) => {
  const others: postgres.Sql[] = [];
  const take = async () => {
    const other = postgres(url, { max: 1, fetch_types: false, connection: { application_name: 'other' } });
    others.push(other);
    return other`select 1`.then(() => true, isRefused);
  };
  try {
    let isFull = false;
    for (let round = 0; round < 3; round += 1) {
      while (others.length < SLOTS && (await take()) === true);
      isFull ||= (await take()) === 'refused';
      await sql`select pg_terminate_backend(pid) from pg_stat_activity
        where application_name like 'pawl%' and state = 'idle' and random() < 0.5`;
    }
    await sleep(lastsMs);
    return { evidence: isFull ? `${others.length} connections taken` : null, endedAt: Date.now(), scope: 'all' };
  } finally {
    await Promise.all(others.map((other) => other.end({ timeout: 0 })));
  }
};

function isRefused(error: unknown): 'refused' | false {
  return error instanceof Error && 'code' in error && error.code === '53300' ? 'refused' : false;
}

/** Stops PostgreSQL immediately, which loses no acknowledged write, and starts it, which replays its log. */
export const restartPostgres: Fault = async ({ postgres }, { lastsMs }) => {
  const from = Date.now();
  await postgres.crash();
  await sleep(lastsMs);
  await postgres.start();
  return { evidence: `PostgreSQL was unavailable for ${Date.now() - from} ms`, endedAt: Date.now(), scope: 'all' };
};

/**
 * Kills the primary with SIGKILL, and promotes its synchronous standby. Then the new primary gets a standby, so that
 * the fault may repeat.
 */
export const failOverPostgres: Fault = async ({ postgres: { pair } }, { lastsMs }) => {
  const from = Date.now();
  await pair?.failOver(lastsMs);
  const endedAt = Date.now();
  await pair?.replaceStandby();
  const evidence = pair && `another PostgreSQL was the primary after ${endedAt - from} ms`;
  return { evidence, endedAt, scope: 'all' };
};

/** Parts the standby from its primary. The commits of the primary wait for it. */
export const partStandby: Fault = async ({ sql, postgres: { pair } }, { lastsMs }) => {
  const end = pair?.partStandby();
  let waited = 0;
  try {
    await sleep(lastsMs);
    const [row] = await sql<{ count: number }[]>`
      select count(*)::int as count from pg_stat_activity where wait_event = 'SyncRep'`;
    waited = row?.count ?? 0;
  } finally {
    end?.();
  }
  return {
    evidence: waited > 0 ? `${waited} commits waited for the standby` : null,
    endedAt: Date.now(),
    scope: 'all',
  };
};
