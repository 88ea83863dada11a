import { EventEmitter, once } from 'node:events';
import { sql } from 'kysely';
import type { Live } from '#core/live/live.ts';
import { allQueues } from '#core/queue/all-queues.ts';
import type { JobHandler } from '#core/queue/bell.ts';
import { openApi } from '#services/api/open-api.ts';
import { openLog } from '#services/log.ts';
import { openParts } from '#services/open-parts.ts';
import { readSettings } from '#services/settings.ts';
import type { WorkerContext } from '#services/worker/context.ts';
import { jobHandler } from '#services/worker/open-worker.ts';
import { rescue } from '#services/worker/rescue.ts';
import { makeTurnMemory } from '#services/worker/turn-memory.ts';
import { workerContext } from '#services/worker/worker-context.ts';
import type { AskedRequest } from '#simulator/answer-chat.ts';
import { startSimulator } from '#simulator/start-simulator.ts';
import { apiClient } from './api-client.ts';
import { createTestDatabase } from './test-database.ts';
import { testRedisUrl } from './test-redis.ts';

type Options = { redis?: boolean; env?: Record<string, string> };

/** Settings under which the API, the worker and the model of a test find each other. */
export async function testEnvironment(modelUrl: string, { redis = false, env = {} }: Options) {
  return {
    DATABASE_URL: await createTestDatabase(),
    ...(redis ? { REDIS_URL: testRedisUrl() } : {}),
    PORT: '0',
    OPENAI_API_KEY: 'sk-test',
    OPENAI_BASE_URL: modelUrl,
    PAWL_EGRESS_ALLOW: '127.0.0.1',
    PAWL_TOOLS: new URL('./tools.ts', import.meta.url).pathname,
    PAWL_LOG_LEVEL: 'silent',
    ...env,
  };
}

/**
 * An API that listens, a worker that moves only when told, a model on a real socket, a database of its own.
 * The test holds the clock: `advance` lets time pass for everything that is due.
 */
export async function createWorld(options: Options = {}) {
  const asked: AskedRequest[] = [];
  const simulator = await startSimulator({ onRequest: (request) => void asked.push(request) });
  const env = await testEnvironment(simulator.baseUrl, options);
  const settings = { ...readSettings(env), DATABASE_URL: env.DATABASE_URL };
  const log = openLog('test', settings.PAWL_LOG_LEVEL);
  const parts = await openParts(settings, env, log);
  const worker = workerContext(parts, settings, log);
  const api = await openApi(parts, settings, log);
  const handle = jobHandler(worker);
  const db = parts.connection.db;
  const hasHeard = hearForWorker(parts.live, worker);
  const workOnce = (by: JobHandler = handle) => parts.bell.answerOnce(allQueues(parts.providers.names), by);

  return {
    ...apiClient(api.url),
    ...{ url: api.url, env, settings, db, parts, worker, log, asked, handle, workOnce },
    /** Works job after job until none waits; `deliveries` says how often each job is handed out. */
    workUntilIdle: async ({ deliveries = 1 } = {}) => {
      const repeated: JobHandler = async (job) => {
        for (let delivery = 1; delivery <= deliveries; delivery += 1) await handle(job);
      };
      while (await workOnce(repeated));
    },
    /** Lets time pass for whatever is due, held or bound by a deadline. */
    advance: async (ms: number) => {
      // What the worker read a moment ago is as old as everything else.
      worker.turns = makeTurnMemory(db);
      const earlier = sql`${ms}::double precision * interval '1 millisecond'`;
      await sql`update turns set due_at = due_at - ${earlier}, held_until = held_until - ${earlier},
        retry_at = retry_at - ${earlier}, deadline_at = deadline_at - ${earlier} where due_at is not null`.execute(db);
      await sql`update tool_calls set expires_at = expires_at - ${earlier} where result is null`.execute(db);
      await sql`update deliveries set due_at = due_at - ${earlier}, held_until = held_until - ${earlier},
        next_attempt_at = next_attempt_at - ${earlier} where due_at is not null`.execute(db);
      await sql`update webhook_endpoints set failing_since = failing_since - ${earlier},
        old_secret_until = old_secret_until - ${earlier}`.execute(db);
    },
    /** Until the worker has heard that a turn was cancelled, or that somebody has come to watch it. */
    hasHeard,
    /** One heartbeat for whatever the worker has on hand. */
    beat: () => worker.heartbeat.beat('all'),
    rescue: () => rescue(worker),
    [Symbol.asyncDispose]: async () => {
      await api.close(100);
      await parts.close();
      await simulator.stop();
    },
  };
}

export type World = Awaited<ReturnType<typeof createWorld>>;

/** Hears what concerns turns, as a worker does; what stops it in the middle of a step the test says itself. */
function hearForWorker(
  live: Live,
  worker: WorkerContext,
): (kind: 'cancelled' | 'catch-up', turnId: string) => Promise<void> {
  const all = new Set<string>();
  const heard = new EventEmitter();
  live.hearWorkers((message) => {
    if (message.kind === 'watched') worker.audience.watched(message.turnId);
    if (message.kind === 'catch-up') worker.audience.catchUp(message.turnId);
    if (message.kind === 'cancelled') worker.turns.mistrust(message.turnId);
    if (!('turnId' in message)) return;
    const news = `${message.kind} ${message.turnId}`;
    all.add(news);
    heard.emit(news);
  });
  return async (kind, turnId) => {
    if (!all.has(`${kind} ${turnId}`)) await once(heard, `${kind} ${turnId}`);
  };
}
