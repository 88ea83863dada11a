import { serve } from '@hono/node-server';
import type { KyselyPlugin } from 'kysely';
import { pino } from 'pino';
import { inject } from 'vitest';
import type { StreamBounds } from '#core/bounds/stream-bounds.ts';
import type { Db } from '#core/checkpoint/tables.ts';
import { openPubsub } from '#core/pubsub/open-pubsub.ts';
import type { Pubsub } from '#core/pubsub/pubsub.ts';
import type { ApiContext } from '#services/api/context.ts';
import { handleError } from '#services/api/http/errors.ts';
import { makeRouter } from '#services/api/http/router.ts';
import type { ReadAnywhere } from '#services/api/read-anywhere.ts';
import type { StreamFormat } from '#services/api/stream/format.ts';
import { makeStreamHub } from '#services/api/stream/hub.ts';
import { makeStreamLimiter } from '#services/api/stream/limiter.ts';
import { turnEventRoutes } from '#services/api/turns/turn-events.ts';
import { makeWatchers } from '#services/worker/watchers.ts';
import { type LeasedStores, leaseStores } from '#test/harness/stores/lease-stores.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { openStream, type StreamOptions } from './open-stream.ts';
import { playTurn } from './play-turn.ts';

export type WatchOptions = {
  redis?: boolean;
  heartbeatMs?: number;
  bounds?: StreamBounds;
  format?: StreamFormat;
  beside?: { stores: LeasedStores };
  addRoutes?(
    app: ReturnType<typeof makeRouter>,
    context: Pick<ApiContext, 'db' | 'readAnywhere' | 'streamHub' | 'streamLimiter'>,
  ): void;
};

const NEVER_MS = 3_600_000;

/**
 * Opens the event routes of an API process on a real socket. The test acts as the worker. A turn is read at
 * heartbeats only if the test sets an interval. With `beside`, the process shares the stores of another harness.
 */
export async function createWatchHarness(options: WatchOptions = {}) {
  const { redis = false, heartbeatMs = NEVER_MS, bounds, format, beside, addRoutes } = options;
  const stores = beside?.stores ?? (await leaseStores({}));
  const { connection, pubsub, close } = await stores.open(stores.env, () => {});
  const redisUrl = redis ? (inject('redisUrl') ?? undefined) : undefined;
  const openSide = () =>
    redisUrl ? openPubsub({ databaseUrl: stores.env.DATABASE_URL, redisUrl }) : { ...pubsub, close: async () => {} };
  const [apiSide, workerSide] = [openSide(), openSide()];
  const lines: Record<string, unknown>[] = [];
  const log = pino({ level: 'warn' }, { write: (line) => void lines.push(JSON.parse(line)) });
  const counted: string[] = [];
  const statements = countStatements(connection.db);
  const { db } = statements;
  const readAnywhere: ReadAnywhere = (query) => query(db);
  const streamHub = makeStreamHub({
    ...{ db, readAnywhere, pubsub: apiSide, log, heartbeatMs },
    metrics: { streamClosed: (project) => void counted.push(project) },
    ...(bounds && { bounds }),
  });
  const watchers = makeWatchers(workerSide);
  const catchUps: string[] = [];
  workerSide.subscribeToWorkers((message) => {
    if (message.kind === 'watched') watchers.markWatched(message.turnId);
    if (message.kind !== 'catch-up') return;
    catchUps.push(message.turnId);
    watchers.catchUp(message.turnId);
  });
  await untilSubscribed(apiSide, workerSide);
  const app = makeRouter();
  app.onError(handleError(log));
  app.use('*', async (c, next) => {
    c.set('project', c.req.header('x-project') ?? 'default');
    await next();
  });
  const context = { db, readAnywhere, streamHub, streamLimiter: makeStreamLimiter(10_000) };
  app.route('/', turnEventRoutes(context, format));
  addRoutes?.(app, context);
  const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' });
  const url = await new Promise<string>((resolve) => {
    server.on('listening', () => {
      const address = server.address();
      resolve(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`);
    });
  });

  return {
    ...{ url, stores, db: connection.db, streamHub, statements, watchers, pubsub: workerSide, catchUps },
    ...{ lines, closedStreams: counted },
    startTurn: () => playTurn({ db: connection.db, pubsub: workerSide, watchers }),
    open: (turnId: string, options: StreamOptions = {}) => openStream(`${url}/v1/turns/${turnId}/events`, options),
    [Symbol.asyncDispose]: async () => {
      await streamHub.close();
      if ('closeAllConnections' in server) server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await Promise.all([apiSide.close(), workerSide.close()]);
      await close();
    },
  };
}

/** Waits until both sides listen. Messages published before are lost, and the tests do not repeat them. */
async function untilSubscribed(apiSide: Pubsub, workerSide: Pubsub): Promise<void> {
  const turnId = 'turn_that_does_not_exist';
  const reached = new Set<string>();
  const leave = [
    apiSide.subscribeToWakes({ wake: () => reached.add('watcher'), missed: () => {} }),
    workerSide.subscribeToWorkers(() => reached.add('worker')),
  ];
  await waitUntil(() => {
    workerSide.publishToTurn({ kind: 'wake', turnId });
    apiSide.publishToWorkers({ kind: 'watched', turnId });
    if (reached.size < 2) throw new Error('The two sides do not reach each other.');
  });
  for (const each of leave) each();
}

type CountedStatements = { db: Db; count(): number; bytes(): number; failNext(times: number): void };

/** Counts answered statements and the bytes of their rows, and fails the next few answers on request. */
function countStatements(db: Db): CountedStatements {
  let count = 0;
  let bytes = 0;
  let failing = 0;
  const counting: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    // A statement with constant text is compiled once, so only its answers can be counted.
    transformResult: async ({ result }) => {
      count += 1;
      bytes += result.rows.reduce((sum, row) => sum + JSON.stringify(row).length, 0);
      failing -= 1;
      if (failing >= 0) throw new Error('the connection was lost');
      return result;
    },
  };
  return {
    db: db.withPlugin(counting),
    count: () => count,
    bytes: () => bytes,
    failNext: (times) => {
      failing = times;
    },
  };
}
