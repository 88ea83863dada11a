import type { Job, Queue } from 'bullmq';
import { sql } from 'kysely';
import { allQueues, type JobData, type JobName } from '#core/queue/job.ts';
import { postgresBackend } from '#core/queue/postgres/backend.ts';
import { redisBackend } from '#core/queue/redis/backend.ts';
import { loadedTools } from '#core/tools/loaded-tools.ts';
import type { WebhookEndpoint } from '#core/turn/request/webhook-endpoint.ts';
import type { TurnResource } from '#core/turn/resource/turn.ts';
import { makeProjects } from '#services/process/projects.ts';
import { apiClient } from '#test/harness/api-client.ts';
import { createHarness, type Harness } from '#test/harness/create-harness.ts';
import { openExternalMcpServer } from '#test/harness/servers/external-mcp-server.ts';
import { startWireServer } from '#test/llm/wire-server.ts';
import { openRecorder, type Recorder } from './recorder.ts';

type Endpoint = Pick<WebhookEndpoint, 'id' | 'status' | 'description'> & { disabled_reason: string | null };

const MOST_SCENES = 600;

/**
 * The ids of the requests of each batch. `left` has the batches that are not deleted. OpenAI deletes no batches, but
 * their files: `usedFiles` and `unusedFiles` count the files with and without a batch that ran.
 */
export type SceneBatches = { requests: string[][]; left: string[]; usedFiles: number; unusedFiles: number };

/** One play in a lane. It has its own project, so that it does not find data of earlier plays. */
export type Scene = ReturnType<typeof apiClient> & {
  project: string;
  harness: Harness;
  recorder: Recorder;
  env: Record<string, string>;
  /** Returns all turns of the scene, oldest first. */
  turns(): Promise<TurnResource[]>;
  endpoints(): Promise<Endpoint[]>;
  /** Returns whether all webhooks of past events are delivered or given up. */
  isDelivered(): Promise<boolean>;
  /** Returns the number of responses that are not deleted at their provider. */
  countResponses(): Promise<number>;
  /** Returns the number of rows of batches, of their requests and of their answers, in the whole database. */
  countBatchRows(): Promise<number>;
  /** Returns the batches that the model has created since the scene began, and the batches and files left. */
  batches(): SceneBatches;
  /** Returns the scene's own client for another API. */
  at(url: string): ReturnType<typeof apiClient>;
};

/** Opens a lane, in which processes die in turn: a database, a queue, a second worker and API, and the recorder. */
export async function openLane(redis: boolean) {
  const projects = Array.from({ length: MOST_SCENES }, (_, number) => `p${number}`);
  const mcp = await openExternalMcpServer();
  const closed = await startWireServer();
  closed.answer({ status: 401 });
  const harness = await createHarness({
    redis,
    projects: makeProjects([]),
    env: (modelUrl) => ({
      PAWL_PROVIDERS: JSON.stringify({
        claude: { kind: 'anthropic', base_url: modelUrl.replace(/\/v1$/, ''), api_key: 'sk-test' },
        closed: { kind: 'openai', base_url: closed.origin },
        responses: { kind: 'openai-responses', base_url: modelUrl },
        background: { kind: 'openai-responses', base_url: modelUrl, background: true },
      }),
      PAWL_MCP: JSON.stringify({ cities: { url: mcp.url } }),
      PAWL_API_KEYS: projects.map((project) => `${project}:key-of-${project}`).join(),
      PAWL_TOOLS: new URL('./tools.ts', import.meta.url).pathname,
    }),
  });
  const recorder = await openRecorder(harness, mcp.calls);
  const leftovers = await openLeftovers(harness);
  const limits = { ...harness.keptBatches.limits };

  return {
    leftovers,
    /** Makes a scene. `model` replaces `openai/test` in all its requests. */
    newScene: (model = CHAT): Scene => {
      const project = projects.pop();
      if (!project) throw new Error('This lane has had too many scenes. Open another lane.');
      const at = (url: string) => askingFor(model, apiClient(url, `key-of-${project}`));
      const client = at(harness.url);
      const listed = async <One>(path: string) =>
        (await client.call<{ data: One[] }>('GET', `${path}limit=100`)).body.data.reverse();
      const turns = () => listed<TurnResource>('/v1/turns?include=rounds&');
      const endpoints = () => listed<Endpoint>('/v1/webhook_endpoints?');
      const pending = harness.db
        .selectFrom('deliveries')
        .where('project', '=', project)
        .where('status', '=', 'pending');
      const isDelivered = async () => (await pending.select('id').executeTakeFirst()) === undefined;
      const countResponses = async () => {
        const rows = sql`select from background_responses where project = ${project}`;
        return (await rows.execute(harness.db)).rows.length;
      };
      Object.assign(harness.keptBatches.limits, limits);
      const batches = watchBatches(harness);
      const countBatchRows = () => countRowsOfBatches(harness);
      const reading = { turns, endpoints, isDelivered, countResponses, countBatchRows, batches };
      return { ...client, project, harness, recorder, env: harness.env, ...reading, at };
    },
    [Symbol.asyncDispose]: async () => {
      await leftovers.close();
      await recorder[Symbol.asyncDispose]();
      await harness[Symbol.asyncDispose]();
      await mcp[Symbol.asyncDispose]();
      await closed[Symbol.asyncDispose]();
    },
  };
}

/** The model that requests name, and the same model over the Responses wire, also in the background. */
const CHAT = 'openai/test';
export const OVER_RESPONSES = 'responses/test';
export const IN_BACKGROUND = 'background/test';
/** A model with an API that keeps no key of a batch. */
export const WITHOUT_BATCH_KEY = 'claude/test';

type Client = ReturnType<typeof apiClient>;

function askingFor(model: string, client: Client): Client {
  const named = (body: unknown) => JSON.parse(JSON.stringify(body).replaceAll(`"${CHAT}"`, `"${model}"`));
  const call: Client['call'] = (method, path, { body, ...more } = {}) =>
    client.call(method, path, { ...more, ...(body === undefined ? {} : { body: named(body) }) });
  return { ...client, call, startTurn: (request) => client.startTurn(named({ model: CHAT, ...request })) };
}

export type Lane = Awaited<ReturnType<typeof openLane>>;

/** Returns a reader of the batches that the model creates from now on. */
function watchBatches({ keptBatches }: Harness): () => SceneBatches {
  const before = new Set([...keptBatches.created, ...keptBatches.list()].map(({ id }) => id));
  const filesBefore = new Set(keptBatches.files().map(({ id }) => id));
  return () => {
    const files = keptBatches.files().filter(({ id }) => !filesBefore.has(id));
    const left = keptBatches.list().filter(({ id, api }) => api !== 'openai' && !before.has(id));
    return {
      requests: keptBatches.created.flatMap(({ id, requests }) =>
        before.has(id) ? [] : [requests.map((one) => one.id)],
      ),
      left: left.map(({ id }) => id),
      usedFiles: files.filter(({ isUsed }) => isUsed).length,
      unusedFiles: files.filter(({ isUsed }) => !isUsed).length,
    };
  };
}

async function countRowsOfBatches({ db }: Harness): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select (select count(*)::int from batches) + (select count(*)::int from batch_requests)
      + (select count(*)::int from batch_answers) as count`.execute(db);
  return rows[0]?.count ?? 0;
}

/** Opens the jobs that a dead process leaves in the queue, as BullMQ reads them. */
async function openLeftovers({ parts, handle, settings }: Harness) {
  const { DATABASE_URL, REDIS_URL } = settings;
  const to = { kind: 'single' as const, url: REDIS_URL ?? '' };
  const backend = REDIS_URL
    ? await redisBackend({ to, name: 'Redis' })
    : postgresBackend({ databaseUrl: DATABASE_URL });
  const names = allQueues(parts.providers.names, loadedTools(parts));
  const queues = names.map((name) => backend.makeQueue(name) as Queue<JobData>);
  for (const queue of queues) queue.on('error', () => {});

  const isEmpty = async () => Object.values(await parts.jobQueue.count(names)).every((count) => count === 0);

  return {
    /** Returns whether no job waits, is delayed or runs. */
    isEmpty,
    /**
     * Runs the remaining jobs, as workers do after the locks of the dead process expire. Returns the states of the
     * jobs.
     */
    workLate: async (): Promise<string[]> => {
      if (await isEmpty()) return [];
      const left = (await Promise.all(queues.map(jobsOf))).flat();
      const states = await Promise.all(left.map((job) => job.getState()));
      await Promise.all(queues.map((queue) => queue.obliterate({ force: true })));
      for (const { name, data } of left) await handle({ name: name as JobName, data });
      return states;
    },
    close: async () => {
      await Promise.all(queues.map((queue) => queue.close()));
      await backend.close();
    },
  };
}

function jobsOf(queue: Queue<JobData>): Promise<Job<JobData>[]> {
  return queue.getJobs(['active', 'waiting', 'prioritized', 'delayed', 'completed', 'failed']);
}

/** Lanes for more plays than lanes, in the order of the requests. */
export type SharedLanes = AsyncDisposable & { use<Result>(act: (lane: Lane) => Promise<Result>): Promise<Result> };

/** Lends each lane to one play at a time. */
export function shareLanes(lanes: Lane[]): SharedLanes {
  const free = [...lanes];
  const waiting: ((lane: Lane) => void)[] = [];

  function borrow(): Promise<Lane> {
    const lane = free.pop();
    return lane ? Promise.resolve(lane) : new Promise((resolve) => waiting.push(resolve));
  }
  function giveBack(lane: Lane): void {
    const next = waiting.shift();
    if (next) next(lane);
    else free.push(lane);
  }

  return {
    use: async (act) => {
      const lane = await borrow();
      try {
        return await act(lane);
      } finally {
        giveBack(lane);
      }
    },
    [Symbol.asyncDispose]: async () => {
      for (const lane of lanes) await lane[Symbol.asyncDispose]();
    },
  };
}
