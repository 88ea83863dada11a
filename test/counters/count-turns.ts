import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { expect } from 'vitest';
import { createHarness, type Harness } from '#test/harness/create-harness.ts';
import { testRedisUrl } from '#test/harness/stores/test-database.ts';
import { PLAIN_WORK, turnRequestOf } from '../../bench/work.ts';
import { type CountedPostgres, HOT_TABLE, openCountedPostgres, type Plan, type Totals } from './counted-postgres.ts';
import { openTap, type Tap } from './open-tap.ts';
import { readStatements, type SentStatements } from './sent-statements.ts';

export type QueueName = 'redis' | 'postgres';

const TOOLS = new URL('../../bench/tools.ts', import.meta.url).pathname;
const TURNS = 10;

/** The statements of a turn, in the order in which a turn first needs each statement. */
const STATEMENTS = ['create', 'begin', 'save-round', 'save-results', 'end', 'read'];

const TABLES = [HOT_TABLE, 'tool_calls'];

/** Plays turns in sequence through an API, a queue, a worker and a model, and returns the counters of one turn. */
export async function countTurns(queue: QueueName): Promise<Record<string, number>> {
  await using postgres = await openCountedPostgres();
  const { sent, accept } = readStatements();
  await using tap = await openTap(postgres.url, accept);
  const redis = queue === 'redis' ? await openRedisTap() : null;
  await using _redisTap = redis?.tap;

  const env = { DATABASE_URL: tap.url, PAWL_TOOLS: TOOLS, ...(redis ? { REDIS_URL: redis.tap.url } : {}) };
  const counters = await countOn(env, { postgres, sent, bytesToRedis: redis?.bytes ?? null });
  for (const table of TABLES) {
    const { all, hot } = await postgres.readUpdates(table);
    counters[`HOT updates of ${table}`] = (100 * hot) / all;
  }
  return counters;
}

type Stores = { postgres: CountedPostgres; sent: SentStatements; bytesToRedis: (() => number) | null };

/** Counts in a harness that is closed before this resolves: PostgreSQL reports updates at the end of a session. */
async function countOn(env: Record<string, string>, stores: Stores): Promise<Record<string, number>> {
  await using harness = await createHarness({ redis: stores.bytesToRedis !== null, env });
  // The first turn opens sessions and prepares statements. The second turn only needs the statements of every turn.
  await playTurns(harness, 1);
  const warmUp = stores.sent.executed.length;
  await playTurns(harness, 1);
  const plans = await planAll(stores, stores.sent.executed.slice(warmUp));
  const before = await readCounters(stores, plans);
  const logEnd = await stores.postgres.readLogEnd();

  using ids = countIds();
  await playTurns(harness, TURNS);

  const after = await readCounters(stores, plans);
  const changed = Object.entries(after).map(([name, value]) => [name, (value - (before[name] ?? 0)) / TURNS] as const);
  return {
    ...Object.fromEntries(changed),
    commits: (await stores.postgres.countCommits(logEnd)) / TURNS,
    'ids made': ids.count() / TURNS,
    ...Object.fromEntries(plans.map(({ name, nodes }) => [`plan nodes of ${name}`, nodes])),
  };
}

async function playTurns(harness: Harness, turns: number): Promise<void> {
  for (let played = 0; played < turns; played += 1) {
    const { id } = await harness.startTurn(turnRequestOf(PLAIN_WORK));
    while (await harness.workOnce());
    expect(await harness.findTurn(id)).toMatchObject({ status: 'completed' });
  }
}

type NamedPlan = Plan & { name: string };

async function planAll({ postgres, sent }: Stores, executed: string[]): Promise<NamedPlan[]> {
  const plans: NamedPlan[] = [];
  for (const text of new Set(executed)) {
    const plan = await postgres.explain(text, sent.settings);
    plans.push({ ...plan, name: STATEMENTS[plans.length] ?? `statement ${plans.length + 1}` });
  }
  return plans;
}

async function readCounters({ postgres, sent, bytesToRedis }: Stores, plans: Plan[]): Promise<Record<string, number>> {
  const { own, other } = await postgres.readTotals(plans.map(({ queryId }) => queryId));
  return {
    statements: sent.executed.length,
    'shared buffers hit': own.buffers,
    'WAL of statements': own.walBytes,
    'sent to PostgreSQL': sent.bytes,
    ...(bytesToRedis ? { 'sent to Redis': bytesToRedis() } : countersOfQueue(other)),
  };
}

function countersOfQueue({ statements, buffers, walBytes }: Totals): Record<string, number> {
  return {
    'statements of the queue': statements,
    'shared buffers hit by the queue': buffers,
    'WAL of the queue': walBytes,
  };
}

async function openRedisTap(): Promise<{ tap: Tap; bytes: () => number }> {
  let bytes = 0;
  const tap = await openTap(testRedisUrl(), () => (sent) => {
    bytes += sent.length;
  });
  return { tap, bytes: () => bytes };
}

/** Counts the UUIDs that this process makes for ids, until it is disposed. */
function countIds(): Disposable & { count: () => number } {
  const { randomUUIDv7 } = crypto;
  let count = 0;
  replace((...given) => {
    count += 1;
    return randomUUIDv7(...given);
  });
  return { count: () => count, [Symbol.dispose]: () => replace(randomUUIDv7) };
}

function replace(make: typeof crypto.randomUUIDv7): void {
  crypto.randomUUIDv7 = make;
  syncBuiltinESMExports();
}
