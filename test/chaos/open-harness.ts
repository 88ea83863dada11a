import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import type { JobQueue } from '#core/queue/job-queue.ts';
import { openJobQueue } from '#core/queue/open-job-queue.ts';
import { newWebhookSecret } from '#core/webhooks/sign.ts';
import { findFreePort } from '#embedded-postgres/find-free-port.ts';
import { migrateAll } from '#services/migrate/migrate-all.ts';
import { type Link, openLink } from '../harness/links/open-link.ts';
import { openSupervisedPart, type SupervisedPart } from '../harness/parts/supervised-part.ts';
import { type ModelRecorder, openModelRecorder } from '../harness/servers/model-recorder.ts';
import { openToolRecorder, type ToolRecorder } from '../harness/servers/tool-recorder.ts';
import { openWebhookReceiver, type WebhookReceiver } from '../harness/servers/webhook-receiver.ts';
import { openaiWire } from '../llm/openai-wire.ts';
import { startWireServer } from '../llm/wire-server.ts';
import { auditResponses } from './background-responses.ts';
import { auditBatches } from './batch-requests.ts';
import { type ChaosPostgres, type ChaosRedis, openStores } from './open-stores.ts';
import { chaosProjects } from './projects.ts';
import type { Options } from './read-options.ts';

/** A whole Pawl and its surroundings, which a run breaks and observes. */
export type ChaosHarness = AsyncDisposable & {
  postgres: ChaosPostgres;
  /** The driver's own connections, which bypass all links of parts. */
  sql: postgres.Sql;
  /** Null if the queue is on Postgres. */
  redis: ChaosRedis | null;
  workers: Part[];
  apis: Api[];
  model: ModelRecorder;
  tools: ToolRecorder;
  receiver: WebhookReceiver;
  /** The driver's own queue, which bypasses all links. */
  jobQueue: JobQueue;
};

/**
 * A part with a separate link to each server, so that it alone can be cut off. A Redis with Sentinels has no links,
 * since the Sentinels name its address.
 */
export type Part = SupervisedPart & { links: Links; skewMs: number };
export type Links = { postgres: Link[]; redis: Link[] };
export type Api = Part & { url: string };

/** Opens the harness in a new folder. The folder is removed with the harness unless it must be kept. */
export async function openChaosHarness(options: Options): Promise<ChaosHarness> {
  const { workers, apis, keep } = options;
  await using opened = new AsyncDisposableStack();
  const folder = keep ?? (await mkdtemp(join(tmpdir(), 'pawl-chaos-')));
  if (keep) await mkdir(keep, { recursive: true });
  else opened.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 }));

  const { postgres, redis } = opened.use(await openStores(folder, options));
  await migrateAll(postgres.url);
  const sql = openSql(postgres.url);
  opened.defer(() => sql.end({ timeout: 1 }));
  await auditResponses(sql);
  await auditBatches(sql);
  const secret = newWebhookSecret();
  const model = opened.use(await openModelRecorder());
  const tools = opened.use(await openToolRecorder());
  const dying = opened.use(await startWireServer());
  dying.answer({ body: DYING_WORDS });
  const receiver = opened.use(await openWebhookReceiver([secret]));
  const jobQueue = await openJobQueue({ databaseUrl: postgres.url, redisUrl: redis?.url });
  opened.defer(() => jobQueue.close());

  const setup = { folder, postgres, redis, env: settings({ modelUrl: model.baseUrl, dyingUrl: dying.origin, secret }) };
  const startApi = async (name: string): Promise<Api> => {
    const port = await findFreePort();
    const part = await openPart(name, 'api', { ...setup, env: { ...setup.env, PORT: String(port) } });
    return { ...opened.use(part), url: `http://127.0.0.1:${port}` };
  };
  const startWorker = async (name: string): Promise<Part> => opened.use(await openPart(name, 'worker', setup));
  const parts = {
    apis: await Promise.all(names('api', apis).map(startApi)),
    workers: await Promise.all(names('worker', workers).map(startWorker)),
  };
  const closing = opened.move();
  const dispose = () => closing.disposeAsync();
  return { postgres, sql, redis, ...parts, model, tools, receiver, jobQueue, [Symbol.asyncDispose]: dispose };
}

function names(service: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${service}-${index + 1}`);
}

/** Opens a connection that fetches no types: a rejection of that query, when it is cut off, could not be caught. */
function openSql(url: string): postgres.Sql {
  const connection = { application_name: 'chaos', statement_timeout: 20_000 };
  const backoff = () => 0.2;
  return postgres(url, { max: 5, fetch_types: false, onnotice: () => {}, connect_timeout: 5, backoff, connection });
}

/** Returns settings with bounds that are short enough for a run: a hanging model is given up within seconds. */
function settings({ modelUrl, dyingUrl, secret }: Record<'modelUrl' | 'dyingUrl' | 'secret', string>) {
  return {
    PAWL_PROVIDERS: JSON.stringify({
      dying: { kind: 'openai', base_url: dyingUrl },
      responses: { kind: 'openai-responses', base_url: modelUrl },
      background: { kind: 'openai-responses', base_url: modelUrl, background: true },
      messages: { kind: 'anthropic', base_url: modelUrl.replace(/\/v1$/, ''), api_key: 'sk-chaos' },
      contents: { kind: 'gemini', base_url: modelUrl.replace(/\/v1$/, ''), api_key: 'sk-chaos' },
    }),
    PAWL_PROJECTS: chaosProjects,
    OPENAI_API_KEY: 'sk-chaos',
    OPENAI_BASE_URL: modelUrl,
    PAWL_EGRESS_ALLOW: '127.0.0.1',
    PAWL_WEBHOOK_SECRET: secret,
    PAWL_TOOLS: join(import.meta.dirname, 'poison-tools.ts'),
    PAWL_MODEL_IDLE_TIMEOUT_MS: '2000',
    PAWL_MODEL_TIMEOUT_MS: '6000',
    PAWL_BATCH_WAIT_MS: '500',
    PAWL_BATCH_SIZE: '10',
    PAWL_SHUTDOWN_GRACE_MS: '2000',
    PAWL_WORKER_CONCURRENCY: '32',
  };
}

/** Half a sentence, and the end. */
const DYING_WORDS = [
  ...openaiWire.reply({ text: ['Half a sen'] }).slice(0, 1),
  `data: ${JSON.stringify({ error: { message: 'Overloaded', code: 'overloaded' } })}\n\n`,
];

/** Two parts of a kind are hours apart from each other and from the stores. */
const SKEW_MS = 5 * 3_600_000;

type PartSetup = { folder: string; postgres: ChaosPostgres; redis: ChaosRedis | null; env: Record<string, string> };

async function openPart(name: string, service: 'api' | 'worker', setup: PartSetup): Promise<Part> {
  await using opened = new AsyncDisposableStack();
  const { folder, postgres, redis } = setup;
  const linkTo = async (port: number) => opened.use(await openLink(port));
  const links: Links = {
    postgres: await Promise.all(postgres.ports.map(linkTo)),
    redis: redis?.single ? [await linkTo(redis.single.port)] : [],
  };
  const skewMs = name.endsWith('1') ? SKEW_MS : -SKEW_MS;
  const env = {
    ...setup.env,
    PAWL_CHAOS_SKEW_MS: String(skewMs),
    // Workers sign webhooks with their time, so their clocks are right except in some faults. An API's clock does not
    // matter.
    PAWL_CHAOS_SKEWED: service === 'api' ? '1' : '0',
    DATABASE_URL: postgres.url.replace(/@[^/]+/, `@${hostsOf(links.postgres)}`),
    ...(redis ? { REDIS_URL: redis.single ? `redis://${hostsOf(links.redis)}` : redis.url } : {}),
  };
  const part = opened.use(await openSupervisedPart({ name, service, env, folder }));
  const closing = opened.move();
  return { ...part, links, skewMs, [Symbol.asyncDispose]: () => closing.disposeAsync() };
}

function hostsOf(links: Link[]): string {
  return links.map(({ port }) => `127.0.0.1:${port}`).join(',');
}
