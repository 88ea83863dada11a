import { resolve } from 'node:path';
import { findOrCreateWebhookSecret } from '#core/checkpoint/webhooks/secret.ts';
import { type Egress, openEgress } from '#core/egress/open.ts';
import { type EgressPolicy, parseEgressAllow } from '#core/egress/policy.ts';
import { type Prices, pricesWithoutWrites, readPrices, unusedPrices } from '#core/llm/by-model/prices.ts';
import { type ProviderLimits, readProviderLimits, unusedLimits } from '#core/llm/by-model/provider-limits.ts';
import { limitsOfProviders } from '#core/llm/make/provider-config.ts';
import { configureProviders, loadProviderPackages, type Providers } from '#core/llm/providers.ts';
import { hostsOf } from '#core/postgres/hosts.ts';
import { readProxies, withoutProxy } from '#core/proxy.ts';
import type { JobQueue } from '#core/queue/job-queue.ts';
import { addressOfRedis } from '#core/redis-url.ts';
import { parseToolSecrets, type ToolSecrets } from '#core/tools/http/secrets.ts';
import { loadTools } from '#core/tools/load.ts';
import { loadedTools } from '#core/tools/loaded-tools.ts';
import { readMcpServers } from '#core/tools/mcp/config.ts';
import type { Warn } from '#core/tools/mcp/listing.ts';
import { type McpServers, openMcpServers } from '#core/tools/mcp/servers.ts';
import type { ToolRegistry } from '#core/tools/registry.ts';
import type { TurnWakeup, Wakeup } from '#core/turn/wakeup.ts';
import { newWebhookSecret, parseWebhookSecrets } from '#core/webhooks/sign.ts';
import { type Simulator, startSimulator } from '#simulator/start-simulator.ts';
import { type Admission, makeAdmission } from './admission.ts';
import { type Availability, makeAvailability } from './availability.ts';
import { type ConnectionRefusals, trackConnectionRefusals } from './connection-refusals.ts';
import { type DueDeliveries, makeDueDeliveries } from './due-deliveries.ts';
import type { Log } from './log.ts';
import { type Metrics, makeMetrics } from './metrics/metrics.ts';
import type { Deployment } from './part-sentences.ts';
import { type LiveProjects, openLiveProjects } from './projects/live-projects.ts';
import type { Settings } from './settings.ts';
import { openStores, type Stores } from './stores.ts';
import { openTracer } from './trace/open-tracer.ts';
import type { Tracer } from './trace/tracer.ts';

/** The parts that API and worker share. A process that is both opens them once. */
export type Parts = LiveProjects &
  Omit<Stores, 'close'> & {
    connectionRefusals: ConnectionRefusals;
    providers: Providers;
    prices: Prices;
    providerLimits: ProviderLimits;
    admission: Admission;
    dueDeliveries: DueDeliveries;
    tools: ToolRegistry;
    mcp: McpServers;
    toolSecrets: ToolSecrets;
    egressPolicy: EgressPolicy;
    egress: Egress;
    availability: Availability;
    metrics: Metrics;
    tracer: Tracer;
    /** Returns the secrets that sign for a project: webhooks and HTTP tools. */
    secretsOf(project: string): Promise<string[]>;
    /** Enqueues due work. Returns false, without an error, if the queue is away. */
    enqueue(wakeups: Wakeup[]): Promise<boolean>;
    /** Enqueues due work from inside a job, before its acknowledgement. */
    enqueueBeforeAck(wakeups: Wakeup[], handsOver?: string | null): Promise<void>;
    close(): Promise<void>;
  };

type QueueObservers = Pick<Parts, 'availability' | 'connectionRefusals'>;

/** Opens connections, queue, pubsub, providers and tools from the settings. An invalid setting stops the start. */
export async function openParts(
  settings: Settings & { DATABASE_URL: string },
  log: Log,
  open: typeof openStores = openStores,
): Promise<Parts> {
  const tools = await loadTools(settings.PAWL_TOOLS, settings.PAWL_TOOL_RULES);
  const warn = (...line: Parameters<Warn>) => log.warn(...line);
  const proxyOf = readProxies(settings.variables);
  const toolSecrets = parseToolSecrets(settings.PAWL_SECRETS);
  const liveProjects = openLiveProjects(settings, toolSecrets);
  const mcp = openMcpServers(readMcpServers(settings.PAWL_MCP), {
    ...{ warn, proxyOf, path: settings.variables.PATH, redact: liveProjects.redact },
    log: (about) => log.info({ event: 'mcp_server.output', ...about }, 'an MCP server wrote to its standard error'),
  });
  const simulator = lazySimulator();
  const models = await openModels(settings, simulator);
  const tracer = await openTracer(settings, log);
  for (const sentence of warningsOf(models)) log.warn(sentence);
  const egressPolicy = parseEgressAllow(settings.PAWL_EGRESS_ALLOW);
  const egress = openEgress(egressPolicy, { proxyOf: settings.PAWL_EGRESS_PROXY === 'none' ? withoutProxy : proxyOf });
  const connectionRefusals = trackConnectionRefusals(log);
  const stores = await open(settings, connectionRefusals.record);
  const { connection, jobQueue, pubsub } = stores;
  const metrics = makeMetrics();
  const availability = makeAvailability({
    ...{ db: connection.db, jobQueue, deployment: deploymentOf(settings), tools: loadedTools({ tools, mcp }) },
  });
  const queue = enqueueOn(jobQueue, makeDueDeliveries(pubsub), { availability, connectionRefusals });
  const admission = makeAdmission({
    ...{ db: connection.db, projects: () => parts.projects, concurrency: settings.PAWL_WORKER_CONCURRENCY },
    ...{ enqueue: queue.enqueue, suspect: availability.suspect },
  });
  const parts: Parts = {
    ...{ ...liveProjects, ...models, admission, connection, jobQueue, pubsub, tools, mcp, toolSecrets },
    ...{ egressPolicy, egress, availability, connectionRefusals, metrics, tracer },
    secretsOf: secretsFrom(settings, connection),
    ...queue,
    close: async () => {
      for (const part of [availability, metrics]) part.close();
      await admission.settled();
      await Promise.all([mcp, egress, models.providers, simulator, tracer].map((part) => part.close()));
      await stores.close();
    },
  };
  return parts;
}

/** Opens the configured providers, with the operator's prices and limits of their models. */
async function openModels({ variables, PAWL_PRICES, PAWL_PROVIDER_LIMITS }: Settings, simulator: Sim) {
  const packages = await loadProviderPackages(variables);
  return {
    providers: configureProviders(variables, simulator, packages),
    prices: readPrices(PAWL_PRICES),
    providerLimits: readProviderLimits(PAWL_PROVIDER_LIMITS, limitsOfProviders(variables)),
  };
}

type Models = Pick<Parts, 'providers' | 'prices' | 'providerLimits'>;

function warningsOf({ providers: { names }, prices, providerLimits }: Models): string[] {
  return [...unusedPrices(prices, names), ...pricesWithoutWrites(prices), ...unusedLimits(providerLimits, names)];
}

function deploymentOf({ variables, REDIS_URL }: Settings): Deployment {
  return { embedded: !variables.DATABASE_URL, redis: REDIS_URL !== undefined };
}

/** Enqueues for a process, and records whether the queue took the wakeups. Announces deliveries instead. */
function enqueueOn(
  jobQueue: JobQueue,
  dueDeliveries: DueDeliveries,
  observers: QueueObservers,
): Pick<Parts, 'dueDeliveries' | 'enqueue' | 'enqueueBeforeAck'> {
  function announceDeliveries(wakeups: Wakeup[]): TurnWakeup[] {
    const turns = wakeups.filter((wakeup) => wakeup.kind === 'turn');
    if (turns.length < wakeups.length) dueDeliveries.announce();
    return turns;
  }
  return {
    dueDeliveries,
    enqueue: async (wakeups) => {
      const turns = announceDeliveries(wakeups);
      return turns.length === 0 || recordEnqueued(jobQueue.enqueue(turns), observers);
    },
    enqueueBeforeAck: async (wakeups, handsOver) => {
      const turns = announceDeliveries(wakeups);
      if (turns.length === 0) return;
      const { arrived } = await jobQueue.enqueueBeforeAck(turns, handsOver);
      void recordEnqueued(arrived, observers);
    },
  };
}

/** Returns the operator's secrets, or else a secret of the project, which concurrent callers look up once. */
function secretsFrom({ PAWL_WEBHOOK_SECRET: given }: Settings, { db }: Stores['connection']): Parts['secretsOf'] {
  if (given) {
    const secrets = parseWebhookSecrets(given);
    return async () => secrets;
  }
  const known = new Map<string, Promise<string[]>>();
  return (project) => {
    const secrets =
      known.get(project) ?? findOrCreateWebhookSecret(db, project, newWebhookSecret).then((secret) => [secret]);
    known.set(project, secrets);
    // Repeat a failed lookup at the next call.
    secrets.catch(() => known.delete(project));
    return secrets;
  };
}

/** Records the outcome of enqueueing. An absent queue fails no commit: the rescuer enqueues the due rows. */
async function recordEnqueued(
  enqueuing: Promise<void>,
  { availability, connectionRefusals }: QueueObservers,
): Promise<boolean> {
  try {
    await enqueuing;
    availability.accepted('queue');
    return true;
  } catch (error) {
    availability.suspect(error);
    connectionRefusals.record(error);
    return false;
  }
}

type Sim = { baseUrl(): Promise<string>; close(): Promise<void> };

/** Makes the simulator of `sim/…` models. The first call of such a model starts it on loopback. */
function lazySimulator(): Sim {
  let started: Promise<Simulator> | undefined;
  return {
    baseUrl: async () => {
      started ??= startSimulator();
      return (await started).baseUrl;
    },
    close: async () => (await started)?.stop(),
  };
}

/** Logs a line each for data, queue, providers and tools, and checks the MCP servers. Logs no secret. */
export function logParts(log: Log, settings: Settings, parts: Pick<Parts, 'providers' | 'tools' | 'mcp'>): void {
  const { providers, tools, mcp } = parts;
  const { DATABASE_URL, DATABASE_DIRECT_URL, REDIS_URL, PAWL_DATA_DIR, PAWL_TOOLS } = settings;
  const direct = DATABASE_DIRECT_URL ? `, directly at ${addressOf(DATABASE_DIRECT_URL)}` : '';
  log.info(
    `PostgreSQL: ${DATABASE_URL ? `at ${addressOf(DATABASE_URL)}${direct}` : `embedded, in ${resolve(PAWL_DATA_DIR)}`}`,
  );
  log.info(`queue: ${REDIS_URL ? `Redis at ${addressOfRedis(REDIS_URL)}` : 'on the same PostgreSQL'}`);
  log.info(`providers: ${providers.names.join(', ')}`);
  const count = tools.list().length;
  const own = count === 0 ? 'no tools loaded' : `${count} from ${resolve(PAWL_TOOLS || 'tools.ts')}`;
  mcp.check();
  log.info(`tools: ${own}${mcp.names.length === 0 ? '' : `, MCP servers: ${mcp.names.join(', ')}`}`);
}

/** Returns host, port and database of a URL, without user and password. */
function addressOf(url: string): string {
  const hosts = hostsOf(url)?.map((host) => host.url);
  if (hosts) return hosts.map(addressOf).join(' or ');
  const parsed = URL.parse(url);
  return parsed ? `${parsed.host}${parsed.pathname}` : 'an address that is not a valid URL';
}
