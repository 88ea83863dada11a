import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Bell } from '#core/queue/bell.ts';
import { openBell } from '#core/queue/open-bell.ts';
import { newWebhookSecret } from '#core/webhook/secret.ts';
import { findFreePort } from '#services/standalone/embedded-postgres/find-free-port.ts';
import { openLink } from '../proxy/open-link.ts';
import type { Options } from '../read-options.ts';
import { type ModelWitness, openModelWitness } from '../witness/model-witness.ts';
import { openReceiver, type Receiver } from '../witness/receiver.ts';
import { openToolWitness, type ToolWitness } from '../witness/tool-witness.ts';
import { type Links, openPart, type Part } from './open-part.ts';
import { openSitePostgres, type SitePostgres } from './site-postgres.ts';
import { openSiteRedis, type SiteRedis } from './site-redis.ts';

/** A whole Pawl with everything around it, all of it our own: what a run breaks and watches. */
export type Site = AsyncDisposable & {
  postgres: SitePostgres;
  /** Null where the queue is on Postgres. */
  redis: SiteRedis | null;
  workers: Part[];
  apis: Api[];
  model: ModelWitness;
  tools: ToolWitness;
  receiver: Receiver;
  /** The driver's own bell, past all links. */
  bell: Bell;
};

export type Api = Part & { url: string };

/** Opens the site in a new folder, which goes with it unless it is to be kept. */
export async function openSite({ queue, workers, apis, keep }: Options): Promise<Site> {
  await using opened = new AsyncDisposableStack();
  const folder = keep ?? (await mkdtemp(join(tmpdir(), 'pawl-chaos-')));
  if (keep) await mkdir(keep, { recursive: true });
  else opened.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 }));

  const postgres = opened.use(await openSitePostgres(join(folder, 'postgres')));
  const redis = queue === 'redis' ? opened.use(await requireRedis(join(folder, 'redis'))) : null;
  const secret = newWebhookSecret();
  const model = opened.use(await openModelWitness());
  const tools = opened.use(await openToolWitness());
  const receiver = opened.use(await openReceiver(secret));
  const bell = await openBell({ databaseUrl: postgres.url, redisUrl: redis?.url });
  opened.defer(() => bell.close());

  const ground = { folder, postgres, redis, env: settings(model.baseUrl, secret) };
  const startApi = async (name: string): Promise<Api> => {
    const port = await findFreePort();
    const part = await startPart(name, 'api', { ...ground, env: { ...ground.env, PORT: String(port) } });
    return { ...opened.use(part), url: `http://127.0.0.1:${port}` };
  };
  const names = (of: string, count: number) => Array.from({ length: count }, (_, index) => `${of}-${index + 1}`);
  const startedApis = await Promise.all(names('api', apis).map(startApi));
  const startedWorkers = await Promise.all(
    names('worker', workers).map(async (name) => opened.use(await startPart(name, 'worker', ground))),
  );
  const closing = opened.move();
  const parts = { workers: startedWorkers, apis: startedApis };
  return {
    ...{ postgres, redis, ...parts, model, tools, receiver, bell },
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}

async function requireRedis(folder: string): Promise<SiteRedis> {
  const redis = await openSiteRedis(folder);
  if (redis) return redis;
  throw new Error('There is no redis-server on the PATH. Install it, or choose --queue postgres.');
}

/** Bounds that are short enough for a run: a model that hangs is given up in seconds. */
function settings(modelUrl: string, secret: string): Record<string, string> {
  return {
    OPENAI_API_KEY: 'sk-chaos',
    OPENAI_BASE_URL: modelUrl,
    PAWL_EGRESS_ALLOW: '127.0.0.1',
    PAWL_WEBHOOK_SECRET: secret,
    PAWL_TOOLS: join(import.meta.dirname, 'poison-tools.ts'),
    PAWL_MODEL_IDLE_TIMEOUT_MS: '2000',
    PAWL_MODEL_TIMEOUT_MS: '6000',
    PAWL_SHUTDOWN_GRACE_MS: '2000',
    PAWL_WORKER_CONCURRENCY: '32',
  };
}

const SKEW_MS = 600_000;

type Ground = { folder: string; postgres: SitePostgres; redis: SiteRedis | null; env: Record<string, string> };

/** Each part reaches each store over a link of its own, so that one alone can be cut off. */
async function startPart(name: string, service: 'api' | 'worker', ground: Ground): Promise<Part> {
  const { folder, postgres, redis } = ground;
  const links: Links = {
    postgres: await openLink(postgres.port),
    redis: redis ? await openLink(redis.port) : null,
  };
  const database = Object.assign(new URL(postgres.url), { port: String(links.postgres.port) }).href;
  // The first of several is ahead, the second behind.
  const skew = name.endsWith('1') ? SKEW_MS : -SKEW_MS;
  const env = {
    ...ground.env,
    PAWL_CHAOS_SKEW_MS: String(skew),
    DATABASE_URL: database,
    ...(links.redis ? { REDIS_URL: `redis://127.0.0.1:${links.redis.port}` } : {}),
  };
  const part = await openPart({ name, service, env, folder, links });
  const close = async () => {
    await part[Symbol.asyncDispose]();
    await links.postgres[Symbol.asyncDispose]();
    await links.redis?.[Symbol.asyncDispose]();
  };
  return { ...part, [Symbol.asyncDispose]: close };
}
