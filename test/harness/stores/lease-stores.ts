import { sql } from 'kysely';
import type { Db } from '#core/checkpoint/tables.ts';
import type { Pubsub } from '#core/pubsub/pubsub.ts';
import type { openStores, Stores } from '#services/process/stores.ts';
import { openPatientStores } from './open-patient-stores.ts';
import { createLastingDatabase, testRedisUrl } from './test-database.ts';

type Wanted = { redis?: boolean; env?: Record<string, string> };

/**
 * `env` names the stores; `open` opens them for a process of the test. Several processes may have them open at a time. The
 * last close gives them back.
 */
export type LeasedStores = { env: { DATABASE_URL: string; REDIS_URL?: string }; open: typeof openStores };

/** A database that tests use one after the other, with connections that are open and have planned what they run. */
type WarmStores = { url: string; stores: Stores; onError: (error: unknown) => void };

/** What no test has at present. Emptied when it is leased again: a late write of the test before is lost with the rest. */
const idle: WarmStores[] = [];

/** So many rest, that what a test has left behind in flight ends before the next one has its stores. */
const RESTING = 1;

/** More would only stand by, with connections of which PostgreSQL has so many. */
const MOST_IDLE = 2;

/**
 * Stores for a test: to open a database and a session of each kind for every test was half of the time of all of them.
 * A test that names a store of its own gets just that.
 */
export async function leaseStores({ redis = false, env = {} }: Wanted): Promise<LeasedStores> {
  const queue = redis ? { REDIS_URL: testRedisUrl() } : {};
  if (env.DATABASE_URL) return { env: { DATABASE_URL: env.DATABASE_URL, ...queue }, open: openPatientStores };
  const warm = (await emptied()) ?? (await openWarm());
  if (!queue.REDIS_URL) await untilHeard(warm.stores.pubsub);
  return { env: { DATABASE_URL: warm.url, ...queue }, open: openOn(warm) };
}

async function emptied(): Promise<WarmStores | null> {
  const warm = idle.length > RESTING ? idle.shift() : undefined;
  if (!warm) return null;
  try {
    await sql`select empty_tables()`.execute(warm.stores.connection.db);
    return warm;
  } catch {
    await warm.stores.close();
    return emptied();
  }
}

/** What is published before a session listens is lost, and a test that waits for it would wait for ever. */
async function untilHeard(pubsub: Pubsub): Promise<void> {
  const turnId = 'test-lease';
  const isHeard = Promise.withResolvers<void>();
  const unsubscribe = pubsub.subscribeToWakes({ wake: () => isHeard.resolve(), missed: () => {} });
  const call = () => pubsub.publishToTurn({ kind: 'wake', turnId });
  const again = setInterval(call, 50);
  call();
  await isHeard.promise;
  clearInterval(again);
  unsubscribe();
}

async function openWarm(): Promise<WarmStores> {
  const url = await createLastingDatabase();
  const stores = await openPatientStores({ DATABASE_URL: url }, (error) => warm.onError(error));
  const warm: WarmStores = { url, stores, onError: () => {} };
  await keepSchema(stores.connection.db);
  return warm;
}

/** Refuses what would change the schema for every later test: a trigger that one test left behind failed a dozen others. */
async function keepSchema(db: Db): Promise<void> {
  await sql`create function keep_schema() returns event_trigger language plpgsql as $$ begin
    if not exists (select from pg_event_trigger_ddl_commands() where schema_name !~ '^pg_temp') then return; end if;
    raise exception 'The schema belongs to many tests. Take a database of your own: createTestDatabase().';
  end $$`.execute(db);
  await sql`create event trigger keep_schema on ddl_command_end execute function keep_schema()`.execute(db);
}

function openOn(warm: WarmStores): typeof openStores {
  let openCount = 0;
  let isReturned = false;
  return async ({ REDIS_URL, DATABASE_URL }, onError) => {
    if (isReturned) throw new Error('These stores were given back. Open a second process before the first one closes.');
    openCount += 1;
    warm.onError = onError;
    const onRedis = REDIS_URL ? await openPatientStores({ DATABASE_URL, REDIS_URL }, onError) : null;
    const { pubsub, unsubscribe } = untilReturned(warm.stores.pubsub);
    return {
      connection: warm.stores.connection,
      jobQueue: onRedis?.jobQueue ?? warm.stores.jobQueue,
      pubsub: onRedis?.pubsub ?? pubsub,
      close: async () => {
        unsubscribe();
        await onRedis?.close();
        if (isReturned) return;
        openCount -= 1;
        if (openCount > 0) return;
        isReturned = true;
        if (idle.push(warm) > MOST_IDLE) await idle.shift()?.stores.close();
      },
    };
  };
}

/** The same pubsub, of which a test's subscriptions end with its lease. */
function untilReturned(pubsub: Pubsub): { pubsub: Pubsub; unsubscribe(): void } {
  const ends: (() => void)[] = [];
  const tracked = (end: () => void) => {
    ends.push(end);
    return end;
  };
  return {
    pubsub: {
      ...pubsub,
      subscribeToWakes: (...given) => tracked(pubsub.subscribeToWakes(...given)),
      subscribeToEvents: (...given) => tracked(pubsub.subscribeToEvents(...given)),
      subscribeToWorkers: (...given) => tracked(pubsub.subscribeToWorkers(...given)),
    },
    unsubscribe: () => {
      for (const end of ends) end();
    },
  };
}
