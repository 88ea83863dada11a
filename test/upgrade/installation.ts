import { type Project, plainProject } from '#core/project.ts';
import { makeProjects } from '#services/process/projects.ts';
import { apiClient } from '#test/harness/api-client.ts';
import { createHarness } from '#test/harness/create-harness.ts';
import { openToolRecorder, type ToolRecorder } from '#test/harness/servers/tool-recorder.ts';
import { openWebhookReceiver, type WebhookReceiver } from '#test/harness/servers/webhook-receiver.ts';

/** The project of nearly all turns. */
export const MAIN = { name: 'main', key: 'key-of-main' };

/** A model that answers a single request at a time. */
export const LIMITED_MODEL = 'openai/limited';

/** A model that is asked in the background. */
export const KEPT_MODEL = 'kept/test';

/** A project that may have one active turn. */
const NARROW = { name: 'narrow', key: 'key-of-narrow' };

/** An API and a worker of the current code on a database, and a client for each project. */
export type Installation = Awaited<ReturnType<typeof openInstallation>>;

/** The servers that turns of a release call: HTTP tools and a receiver of webhooks. */
export type Surroundings = AsyncDisposable & { tools: ToolRecorder; receiver: WebhookReceiver };

/**
 * Opens an installation. `shared`: turns need slots, because both projects are configured. `idleMs`: the longest
 * silence of the model.
 */
export async function openInstallation(
  database: string,
  { redis = false, shared = true, modelUrl = '', idleMs = 120_000 } = {},
) {
  const configured: Project[] = [{ ...plainProject(MAIN.name), requestsPerMinute: 100_000 }];
  const narrow = { ...plainProject(NARROW.name), maxActiveTurns: 1 };
  if (shared) configured.push(narrow);
  const projects = {
    configured: () => makeProjects(configured).configured(),
    find: (name: string) => makeProjects(configured).find(name),
  };
  const env = (ownUrl: string) => ({
    DATABASE_URL: database,
    PAWL_API_KEYS: `${MAIN.name}:${MAIN.key},${NARROW.name}:${NARROW.key}`,
    PAWL_WORKER_CONCURRENCY: '64',
    PAWL_MODEL_IDLE_TIMEOUT_MS: String(idleMs),
    PAWL_PROVIDERS: JSON.stringify({
      kept: { kind: 'openai-responses', base_url: modelUrl || ownUrl, background: true },
    }),
    PAWL_PROVIDER_LIMITS: JSON.stringify({ [LIMITED_MODEL]: { concurrency: 1, requests_per_minute: 600 } }),
    ...(modelUrl && { OPENAI_BASE_URL: modelUrl }),
  });
  const harness = await createHarness({ redis, env, projects });
  return {
    harness,
    main: apiClient(harness.url, MAIN.key),
    narrow: apiClient(harness.url, NARROW.key),
    /** Configures the second project while the installation runs, as a reload does. */
    share: () => void configured.push(narrow),
    [Symbol.asyncDispose]: () => harness[Symbol.asyncDispose](),
  };
}

export async function openSurroundings(): Promise<Surroundings> {
  await using opened = new AsyncDisposableStack();
  const tools = opened.use(await openToolRecorder());
  const receiver = opened.use(await openWebhookReceiver());
  const resources = opened.move();
  return { tools, receiver, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}
