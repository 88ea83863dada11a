import { serve } from '@hono/node-server';
import { inject, vi } from 'vitest';
import { connect } from '#core/checkpoint/connect.ts';
import type { Live } from '#core/live/live.ts';
import { openLive } from '#core/live/open-live.ts';
import { handleError } from '#services/api/handle-error.ts';
import { makeHeldRequests } from '#services/api/held-requests.ts';
import { makeRouter } from '#services/api/make-router.ts';
import { turnEventRoutes } from '#services/api/routes/turn-events.ts';
import { makeTurnWatch } from '#services/api/watch/watch-turns.ts';
import { openLog } from '#services/log.ts';
import { makeAudience } from '#services/worker/audience.ts';
import { createTestDatabase } from '../world/test-database.ts';
import { countStatements } from './count-statements.ts';
import { openStream, type StreamOptions } from './open-stream.ts';
import { playTurn } from './play-turn.ts';

type Options = { redis?: boolean; heartbeatMs?: number; beside?: { databaseUrl: string } };

const NEVER_MS = 3_600_000;

/**
 * The event routes of an API process on a real socket, and a worker's side that does only what the test does. A turn
 * is read again by itself only where the test says how often. `beside` another world is one more process of it.
 */
export async function createWatchWorld({ redis = false, heartbeatMs = NEVER_MS, beside }: Options = {}) {
  const databaseUrl = beside?.databaseUrl ?? (await createTestDatabase());
  const redisUrl = redis ? (inject('redisUrl') ?? undefined) : undefined;
  const connection = connect(databaseUrl);
  const [hearing, speaking] = [openLive({ databaseUrl, redisUrl }), openLive({ databaseUrl, redisUrl })];
  const log = openLog('test', 'silent');
  const statements = countStatements(connection.db);
  const watch = makeTurnWatch({ db: statements.db, live: hearing, log, heartbeatMs });
  const audience = makeAudience(speaking);
  const asked: string[] = [];
  speaking.hearWorkers((message) => {
    if (message.kind === 'watched') audience.watched(message.turnId);
    if (message.kind !== 'catch-up') return;
    asked.push(message.turnId);
    audience.catchUp(message.turnId);
  });
  await untilHeard(hearing, speaking);
  const app = makeRouter();
  app.onError(handleError(log));
  app.use('*', async (c, next) => {
    c.set('project', c.req.header('x-project') ?? 'default');
    await next();
  });
  app.route('/', turnEventRoutes({ db: statements.db, watch, held: makeHeldRequests(10_000) }));
  const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' });
  const url = await new Promise<string>((resolve) => {
    server.on('listening', () => {
      const address = server.address();
      resolve(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`);
    });
  });

  return {
    ...{ url, databaseUrl, db: connection.db, watch, statements, audience, live: speaking, asked },
    startTurn: () => playTurn({ db: connection.db, live: speaking, audience }),
    open: (turnId: string, options: StreamOptions = {}) => openStream(`${url}/v1/turns/${turnId}/events`, options),
    [Symbol.asyncDispose]: async () => {
      await watch.close();
      if ('closeAllConnections' in server) server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await Promise.all([hearing.close(), speaking.close()]);
      await connection.close();
    },
  };
}

/** What is said before the other side listens is lost, and nobody here says it again. */
async function untilHeard(hearing: Live, speaking: Live): Promise<void> {
  const turnId = 'turn_that_nobody_has';
  const heard = new Set<string>();
  const leave = [hearing.watch(turnId, () => heard.add('watcher')), speaking.hearWorkers(() => heard.add('worker'))];
  await vi.waitFor(
    () => {
      speaking.tellWatchers({ kind: 'wake', turnId });
      hearing.tellWorkers({ kind: 'watched', turnId });
      if (heard.size < 2) throw new Error('The two sides do not hear each other.');
    },
    { timeout: 20_000, interval: 20 },
  );
  for (const each of leave) each();
}
