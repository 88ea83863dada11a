import { sql } from 'kysely';
import type { Db } from '#core/checkpoint/tables.ts';
import type { Pubsub } from '#core/pubsub/pubsub.ts';
import type { openStores, Stores } from '#services/process/stores.ts';
import { openPatientStores } from './open-patient-stores.ts';
import { createLastingDatabase, testRedisUrl } from './test-database.ts';

type Wanted = { redis?: boolean; env?: Record<string, string> };

/**
 * Stores for a test. `env` names them, and `open` opens them for a process of the test. Several processes may have
 * them open at a time. The last close returns the lease.
 */
export type LeasedStores = { env: { DATABASE_URL: string; REDIS_URL?: string }; open: typeof openStores };

/** A database that tests use in turn, with open connections that have planned their statements. */
type WarmStores = { url: string; stores: Stores; onError: (error: unknown) => void };

/**
 * The stores without a test. They are emptied before the next lease, which also removes late writes of the last test.
 */
const idle: WarmStores[] = [];

/** The number of stores that rest, so that late work of a test ends before the next test leases them. */
const RESTING = 1;

/** The most idle stores. More would only use up connections, which PostgreSQL limits. */
const MOST_IDLE = 2;

/**
 * Leases stores for a test: opening a database and each session for every test took half of the time of all tests. A
 * test that names its own store gets exactly that store.
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

/**
 * Waits until the session listens. A message that is published before is lost, and a test would wait for it forever.
 */
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

/** Refuses changes of the schema, which would affect every later test. */
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
    if (isReturned) throw new Error('The stores were released. Open a second process before the first process closes.');
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

/** Returns the same pubsub. The subscriptions of a test end with its lease. */
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
