import { EventEmitter, once } from 'node:events';
import { sql } from 'kysely';
import type { Pubsub } from '#core/pubsub/pubsub.ts';
import { allQueues } from '#core/queue/job.ts';
import type { JobHandler } from '#core/queue/job-queue.ts';
import { loadedTools } from '#core/tools/loaded-tools.ts';
import type { TurnResource } from '#core/turn/resource/turn.ts';
import { isTerminal } from '#core/turn/turn.ts';
import { startApi } from '#services/api/start-api.ts';
import { openLog } from '#services/process/log.ts';
import { openParts } from '#services/process/parts.ts';
import type { Projects } from '#services/process/projects.ts';
import { readSettings } from '#services/process/settings.ts';
import { makeBatchLoop } from '#services/worker/batches/batch-loop.ts';
import { workBulks } from '#services/worker/bulk/work-bulks.ts';
import { type WorkerContext, workerContext } from '#services/worker/context.ts';
import { startDue } from '#services/worker/deliveries/delivery-loop.ts';
import { makeDeliverySlots } from '#services/worker/deliveries/delivery-slots.ts';
import { jobHandler } from '#services/worker/job-handler.ts';
import { closeResponses } from '#services/worker/routines/close-responses.ts';
import { fireSchedules } from '#services/worker/routines/fire-schedules.ts';
import { queueAllDelayed } from '#services/worker/routines/queue-delayed.ts';
import { rescue } from '#services/worker/routines/rescue.ts';
import { wakeAllWaiting } from '#services/worker/routines/wake-waiting.ts';
import { makeTurnCache } from '#services/worker/turn-cache.ts';
import { openWorker } from '#services/worker/worker.ts';
import type { ResponseRequest } from '#simulator/background/response-request.ts';
import { type ReceivedRequest, startSimulator } from '#simulator/start-simulator.ts';
import { ageBatches } from './age-batches.ts';
import { ageLimits } from './age-limits.ts';
import { ageResponses } from './age-responses.ts';
import { apiClient } from './api-client.ts';
import { makeGate } from './gate.ts';
import { type LeasedStores, leaseStores } from './stores/lease-stores.ts';
import { createTestDatabase, testRedisUrl } from './stores/test-database.ts';

/** The time that a test gives a routine: unlimited, so that a busy machine does not limit its progress. */
const UNTIL_DONE = Number.POSITIVE_INFINITY;

type Env = Record<string, string>;
type Options = { redis?: boolean; env?: Env; projects?: Projects };

/** Options of a harness. `env` may depend on the address of the model. A harness `beside` another shares its stores. */
export type HarnessOptions = Omit<Options, 'env'> & {
  env?: Env | ((modelUrl: string) => Env);
  beside?: { stores: LeasedStores } | undefined;
};

/** Returns the settings by which the API, the worker and the model of a test find each other. */
export async function testEnvironment(modelUrl: string, { redis = false, env = {} }: Options) {
  const stores = { DATABASE_URL: await createTestDatabase(), ...(redis ? { REDIS_URL: testRedisUrl() } : {}) };
  return { ...plainEnvironment(modelUrl), ...stores, ...env };
}

function plainEnvironment(modelUrl: string) {
  return {
    PORT: '0',
    OPENAI_API_KEY: 'sk-test',
    OPENAI_BASE_URL: modelUrl,
    PAWL_EGRESS_ALLOW: '127.0.0.1',
    PAWL_TOOLS: new URL('./tools.ts', import.meta.url).pathname,
    PAWL_LOG_LEVEL: 'silent',
  };
}

/**
 * Creates an API that listens, a worker that runs jobs on demand, a model on a real socket, and a separate database.
 * The test controls the clock: `advance` lets time pass for everything that is due.
 */
export async function createHarness({ env: given = {}, beside, ...options }: HarnessOptions = {}) {
  const modelRequests: ReceivedRequest[] = [];
  const responseRequests: ResponseRequest[] = [];
  const gate = makeGate();
  const simulator = await startSimulator({
    onRequest: (request) => {
      modelRequests.push(request);
      return gate.pass();
    },
    onResponseRequest: (request) => responseRequests.push(request),
    // A test ends the batches, or lets the model end them at once.
    batchLimits: { delayMs: 0 },
  });
  const own = typeof given === 'function' ? given(simulator.baseUrl) : given;
  const stores = beside?.stores ?? (await leaseStores({ ...options, env: own }));
  const env = { ...plainEnvironment(simulator.baseUrl), ...stores.env, ...own };
  const settings = { ...readSettings(env), DATABASE_URL: env.DATABASE_URL };
  const log = openLog('test', settings.PAWL_LOG_LEVEL);
  const parts = await openParts(settings, log, stores.open);
  if (options.projects) parts.projects = options.projects;
  const worker = workerContext(parts, settings, log);
  const api = await startApi(parts, settings, log);
  const handle = jobHandler(worker);
  const batches = makeBatchLoop(worker);
  const db = parts.connection.db;
  const untilReceived = subscribeWorker(parts.pubsub, worker);
  const workOnce = async (by: JobHandler = handle) => {
    await parts.admission.settled();
    return parts.jobQueue.workOnce(allQueues(parts.providers.names, loadedTools(parts)), by);
  };
  async function deliver(): Promise<void> {
    const slots = makeDeliverySlots(1);
    for (;;) {
      const attempts = await startDue(worker, slots);
      if (attempts.length === 0) return;
      await Promise.all(attempts);
    }
  }

  async function workUntilIdle({ deliveries = 1 } = {}): Promise<void> {
    const repeated: JobHandler = async (job) => {
      for (let delivery = 1; delivery <= deliveries; delivery += 1) await handle(job);
    };
    while (await workOnce(repeated));
    await deliver();
  }
  const client = apiClient(api.url);

  return {
    ...client,
    ...{ url: api.url, env, stores, settings, db, parts, worker, log, modelRequests, handle, workOnce },
    /** The responses that the model keeps, and the requests to read, follow, cancel or delete them. */
    ...{ keptResponses: simulator.responses, responseRequests },
    /** The batches that the model keeps. */
    keptBatches: simulator.batches,
    deliver,
    /** Runs jobs until no job waits, then delivers. `deliveries` is the number of deliveries of each job. */
    workUntilIdle,
    /** Starts a turn and runs jobs until no job waits. Returns the turn in its new state. */
    runTurn: async (request: Record<string, unknown>): Promise<TurnResource> => {
      const { id } = await client.startTurn(request);
      await workUntilIdle();
      return client.findTurn(id);
    },
    /** Lets time pass for everything that is due, leased or limited by a deadline. */
    advance: async (ms: number) => {
      // Admissions that were requested before belong to the time before.
      await parts.admission.settled();
      // The cached turns of the worker age like everything else.
      worker.turnCache = makeTurnCache(db, worker.memory);
      const earlier = sql`${ms}::double precision * interval '1 millisecond'`;
      await sql`update work set due_at = due_at - ${earlier}, lease_until = lease_until - ${earlier},
        retry_at = retry_at - ${earlier}, deadline_at = deadline_at - ${earlier}`.execute(db);
      await sql`update turns set start_at = start_at - ${earlier}, deadline_at = deadline_at - ${earlier}
        where completed_at is null`.execute(db);
      await sql`update work set tier_wait = jsonb_set(tier_wait::jsonb, '{since}',
        to_jsonb(((tier_wait ->> 'since')::timestamptz - ${earlier})::text)) where tier_wait is not null`.execute(db);
      await sql`update tool_calls set expires_at = expires_at - ${earlier} where result is null`.execute(db);
      await sql`update deliveries set due_at = due_at - ${earlier}, lease_until = lease_until - ${earlier},
        next_attempt_at = next_attempt_at - ${earlier} where due_at is not null`.execute(db);
      await sql`update schedules set next_at = next_at - ${earlier}, since = since - ${earlier}`.execute(db);
      // Two steps, since a new moment may equal the old moment of another firing.
      await sql`update firings set planned_at = planned_at - ${earlier} - interval '100 years'`.execute(db);
      await sql`update firings set planned_at = planned_at + interval '100 years'`.execute(db);
      await sql`update conversations set erase_due_at = erase_due_at - ${earlier} where erase_due_at is not null`.execute(
        db,
      );
      await sql`update files set expires_at = expires_at - ${earlier}`.execute(db);
      await sql`update webhook_endpoints set failing_since = failing_since - ${earlier},
        old_secret_until = old_secret_until - ${earlier}`.execute(db);
      await ageLimits(db, ms);
      await ageResponses(db, ms);
      await ageBatches(db, ms);
      simulator.batches.age(ms);
    },
    /** Resolves once the worker has received a cancel of a turn, or a watch. */
    untilReceived,
    /** Makes the model hold its next answers until the test releases them. */
    holdModel: gate.close,
    /** Runs one job, and acts while the model holds its request. Returns the result of the act. */
    whileModelThinks: async <Result>(act: () => Promise<Result>): Promise<Result> => {
      const held = gate.close(1);
      const working = workOnce();
      await held.reached;
      const result = await act();
      held.open();
      await working;
      return result;
    },
    beat: () => worker.heartbeat.beat('all'),
    /** Does the worker's periodic work for turns that want a slot. */
    admit: () => parts.admission.tick(),
    /** Does the worker's periodic work for turns that wait for provider limits. */
    wakeWaiting: () => wakeAllWaiting(worker),
    /** Does the worker's periodic work for delayed turns that are due. */
    queueDelayed: () => queueAllDelayed(worker),
    /** Does the worker's periodic work for schedules that are due. */
    fireSchedules: () => fireSchedules(worker, UNTIL_DONE),
    rescue: async () => {
      await parts.admission.tick();
      return rescue(worker);
    },
    /** Does the worker's periodic work for responses at providers that no round waits for. */
    closeResponses: () => closeResponses(worker),
    /** Does the worker's periodic work for batches: collects rounds, and sends, reads or deletes due batches. */
    workBatches: async () => {
      await batches.tick();
      await batches.settled();
    },
    workBulks: () => workBulks(worker, UNTIL_DONE),
    [Symbol.asyncDispose]: async () => {
      await batches.close();
      await api.close(100);
      await parts.close();
      await simulator.stop();
    },
  };
}

export type Harness = Awaited<ReturnType<typeof createHarness>>;

/** Handles the messages to workers, as a worker does. The test itself stops steps in the middle. */
function subscribeWorker(
  pubsub: Pubsub,
  worker: WorkerContext,
): (kind: 'cancelled' | 'joined' | 'catch-up', turnId: string) => Promise<void> {
  const received = new Set<string>();
  const arrivals = new EventEmitter();
  pubsub.subscribeToWorkers((message) => {
    if (message.kind === 'watched') worker.watchers.markWatched(message.turnId);
    if (message.kind === 'catch-up') worker.watchers.catchUp(message.turnId);
    if (message.kind === 'cancelled' || message.kind === 'joined') worker.turnCache.invalidate(message.turnId);
    if (!('turnId' in message)) return;
    const name = `${message.kind} ${message.turnId}`;
    received.add(name);
    arrivals.emit(name);
  });
  return async (kind, turnId) => {
    if (!received.has(`${kind} ${turnId}`)) await once(arrivals, `${kind} ${turnId}`);
  };
}

/**
 * Starts a worker that runs jobs automatically until disposed, for effects that are visible only while a step runs.
 * It sends no heartbeats, so it learns only from messages that a step has ended.
 */
export async function startBackgroundWorker(
  { worker, parts }: Harness,
  { beats = true, concurrency = 8 } = {},
): Promise<AsyncDisposable & { close(graceMs: number): Promise<void> }> {
  const withoutBeat = { ...worker, heartbeat: { ...worker.heartbeat, beat: async () => {} } };
  const { close } = await openWorker(beats ? worker : withoutBeat, parts.jobQueue, concurrency);
  return { close, [Symbol.asyncDispose]: () => close(0) };
}

/** Lets a minute or another time pass, and runs everything that became due. */
export async function letTimePass(harness: Harness, ms = 60_000): Promise<void> {
  await harness.advance(ms);
  await harness.rescue();
  await harness.workUntilIdle();
}

/** Runs jobs and lets minutes pass until a turn has ended. */
export async function workUntilEnded(harness: Harness, turnId: string): Promise<TurnResource> {
  await harness.workUntilIdle();
  for (let minutes = 0; minutes < 30; minutes += 1) {
    const turn = await harness.findTurn(turnId);
    if (isTerminal(turn.status)) return turn;
    await letTimePass(harness);
  }
  throw new Error(`${turnId} has not ended within 30 minutes`);
}
