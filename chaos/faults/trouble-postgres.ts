import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import type { Site } from '../site/open-site.ts';
import type { Fault, Proof } from './proof.ts';

const EVERY_MS = 150;
const SLOTS = 240;

/** `pg_terminate_backend` for some of Pawl's connections, again and again for a while. */
export const terminateBackends: Fault = (site, { lastsMs }) =>
  signalBackends(site, { lastsMs, word: 'terminated', signal: 'pg_terminate_backend', share: 0.3, states: 'any' });

/** Whatever is running is cancelled, as a statement timeout does it. */
export const cancelStatements: Fault = (site, { lastsMs }) =>
  signalBackends(site, { lastsMs, word: 'cancelled', signal: 'pg_cancel_backend', share: 1, states: 'active' });

type Signalling = {
  lastsMs: number;
  word: string;
  signal: 'pg_terminate_backend' | 'pg_cancel_backend';
  share: number;
  states: 'any' | 'active';
};

async function signalBackends({ postgres: { sql } }: Site, wish: Signalling): Promise<Proof> {
  const { lastsMs, word, signal, share, states } = wish;
  const everyMs = states === 'active' ? 5 : EVERY_MS;
  const until = Date.now() + lastsMs;
  let hit = 0;
  do {
    const [row] = await sql<{ count: number }[]>`select count(*) filter (where ${sql(signal)}(pid))::int as count
      from pg_stat_activity where application_name like 'pawl%' and random() < ${share}
        and (${states} = 'any' or state = 'active')`;
    hit += row?.count ?? 0;
    await sleep(everyMs);
  } while (Date.now() < until);
  return { fired: hit > 0 ? `${hit} backends ${word}` : null, endedAt: Date.now(), scope: 'all' };
}

/** The table of turns is locked: every statement on it waits, pools run empty, and lock timeouts come. */
export const lockTurns: Fault = async ({ postgres: { sql } }, { lastsMs }) => {
  let waited = 0;
  await sql.begin(async (trx) => {
    await trx`lock table turns in access exclusive mode`;
    await sleep(lastsMs);
    const [row] = await trx<{ count: number }[]>`select count(*)::int from pg_locks where not granted`;
    waited = row?.count ?? 0;
  });
  return { fired: waited > 0 ? `${waited} statements waited for the lock` : null, endedAt: Date.now(), scope: 'all' };
};

/** Somebody else takes every connection that PostgreSQL has to give, and some of Pawl's are ended. */
export const takeAllConnections: Fault = async ({ postgres: { sql, url } }, { lastsMs }) => {
  const strangers: postgres.Sql[] = [];
  const take = async () => {
    const stranger = postgres(url, { max: 1, fetch_types: false, connection: { application_name: 'stranger' } });
    strangers.push(stranger);
    return stranger`select 1`.then(() => true, isRefused);
  };
  try {
    let isFull = false;
    for (let round = 0; round < 3; round += 1) {
      while (strangers.length < SLOTS && (await take()) === true);
      isFull ||= (await take()) === 'refused';
      await sql`select pg_terminate_backend(pid) from pg_stat_activity
        where application_name like 'pawl%' and state = 'idle' and random() < 0.5`;
    }
    await sleep(lastsMs);
    return { fired: isFull ? `${strangers.length} connections taken` : null, endedAt: Date.now(), scope: 'all' };
  } finally {
    await Promise.all(strangers.map((stranger) => stranger.end({ timeout: 0 })));
  }
};

function isRefused(error: unknown): 'refused' | false {
  return error instanceof Error && 'code' in error && error.code === '53300' ? 'refused' : false;
}
