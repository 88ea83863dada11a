import { sql } from 'kysely';
import { pino } from 'pino';
import { expect } from 'vitest';
import { connect } from '#core/checkpoint/connect.ts';
import { newId } from '#core/id.ts';
import type { StoreStatus } from '#core/queue/job-queue.ts';
import { makeAvailability } from '#services/process/availability.ts';
import type { Harness } from '#test/harness/create-harness.ts';
import { openLink } from '#test/harness/links/open-link.ts';
import { test } from '#test/harness/test.ts';

const ON_POSTGRES = { embedded: false, redis: false };

/** Returns the parts of a harness. Each answers, or fails with an error that the test sets. */
function openParts(harness: Harness) {
  const failing = { db: null as Error | null, queue: null as Error | null };
  const db = new Proxy(harness.db, {
    get(target, key) {
      if (failing.db) throw failing.db;
      const value = Reflect.get(target, key, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const stores: StoreStatus[] = [];
  const check = async () => {
    if (failing.queue) throw failing.queue;
    return stores;
  };
  return { failing, stores, db, jobQueue: { check } };
}

/** Opens the availability of a process that reaches its database through a link. */
async function openLinked(harness: Harness) {
  const url = new URL(harness.env.DATABASE_URL);
  const link = await openLink(Number(url.port));
  url.port = String(link.port);
  const { db, close } = connect(url.href);
  const availability = makeAvailability({ ...openParts(harness), db, deployment: ON_POSTGRES });
  const dispose = async () => {
    await close();
    await link[Symbol.asyncDispose]();
  };
  return { link, availability, [Symbol.asyncDispose]: dispose };
}

const broken = (code: string) => Object.assign(new Error('broken'), { code });

function linesOf() {
  const lines: string[] = [];
  return { lines, log: pino({}, { write: (line: string) => void lines.push(JSON.parse(line).msg) }) };
}

test('a queue on a lost database is reported as available only after it returns', async ({ harness }) => {
  const { failing, ...parts } = openParts(harness);
  const availability = makeAvailability({ ...parts, deployment: ON_POSTGRES });
  const { lines, log } = linesOf();
  availability.watch(log, ['database', 'queue']);
  await availability.check();

  failing.queue = broken('ECONNREFUSED');
  await availability.check();
  failing.db = broken('ECONNREFUSED');
  const { unknown } = await availability.check();
  failing.db = null;
  await availability.check();
  failing.queue = null;
  await availability.check();
  availability.close();

  expect([...unknown]).toEqual(['disk', 'worker', 'tools', 'queue']);
  expect(lines).toEqual([
    expect.stringMatching(/^The queue on PostgreSQL at DATABASE_URL does not answer/),
    expect.stringMatching(/^PostgreSQL at DATABASE_URL cannot be reached/),
    'PostgreSQL is back.',
    'The queue is back.',
  ]);
});

test('one of several Redis is reported as available only after it returns', async ({ harness }) => {
  const { failing, stores, ...parts } = openParts(harness);
  const availability = makeAvailability({ ...parts, deployment: { embedded: false, redis: true } });
  const { lines, log } = linesOf();
  availability.watch(log, ['queue']);
  stores.push({ address: 'a:1', kind: 'well' }, { address: 'b:2', kind: 'well' });
  await availability.check();

  stores[1] = { address: 'b:2', kind: 'away', error: broken('ECONNREFUSED') };
  const one = await availability.check();
  failing.queue = broken('ECONNREFUSED');
  const all = await availability.check();
  failing.queue = null;
  stores[1] = { address: 'b:2', kind: 'evicts', policy: 'allkeys-lru' };
  await availability.check();
  stores[1] = { address: 'b:2', kind: 'well' };
  await availability.check();
  availability.close();

  expect([one, all].map(({ away }) => away.has('queue'))).toEqual([false, true]);
  expect([...one.stores]).toEqual([
    ['redis@a:1', null],
    ['redis@b:2', expect.stringContaining('Turns use the other Redis until then')],
  ]);
  expect(lines).toEqual([
    expect.stringMatching(/^Redis at b:2 in REDIS_URL cannot be reached \(ECONNREFUSED\)/),
    expect.stringMatching(/^Redis at REDIS_URL cannot be reached \(ECONNREFUSED\)/),
    'The queue is back.',
    expect.stringMatching(/^Redis at b:2 in REDIS_URL evicts keys \(maxmemory-policy allkeys-lru\)/),
    'Redis at b:2 works again.',
  ]);
});

test('a role that may not check for a full disk leaves the service ready', async ({ harness }) => {
  const role = newId('wrk');
  const { pathname } = new URL(harness.env.DATABASE_URL);
  await sql.raw(`revoke temporary on database "${pathname.slice(1)}" from public`).execute(harness.db);
  await sql
    .raw(`create role ${role} login password 'own'; grant select on workers, kysely_migration to ${role}`)
    .execute(harness.db);
  const connection = connect(
    Object.assign(new URL(harness.env.DATABASE_URL), { username: role, password: 'own' }).href,
  );
  const { jobQueue } = openParts(harness);
  const availability = makeAvailability({ db: connection.db, jobQueue, deployment: ON_POSTGRES });

  availability.suspect(broken('53100'));
  const { away } = await availability.check();
  await connection.close();

  expect([...away.keys()]).toEqual(['worker']);
});

test('a slow PostgreSQL is reported as slow, a refusing PostgreSQL as unavailable', async ({ harness }) => {
  await using linked = await openLinked(harness);
  const { link, availability } = linked;
  const sentence = async () => (await availability.check()).away.get('database');
  await availability.check();

  link.setMode('hold');
  const late = await sentence();
  link.setMode('cut');
  const away = await sentence();

  expect(late).toMatch(/^PostgreSQL at DATABASE_URL is slow \(no answer in 3 s\)/);
  expect(away).toMatch(/^PostgreSQL at DATABASE_URL cannot be reached/);
});

test('a PostgreSQL that could not answer during a suspend of the machine is available', async ({ harness }) => {
  // The link is in this process, so it stops with the process.
  await using linked = await openLinked(harness);
  const { availability } = linked;
  await availability.check();

  const checking = availability.check();
  standStill(3_100);
  const { away } = await checking;

  expect([...away.keys()]).toEqual(['worker']);
});

/** Blocks this process for this time. */
function standStill(ms: number) {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
