import { resolve } from 'node:path';
import { type Connection, connect } from '#core/checkpoint/connect.ts';
import { findOrCreateWebhookSecret } from '#core/checkpoint/webhooks/secret.ts';
import { type Egress, openEgress } from '#core/egress/open.ts';
import { type EgressPolicy, parseEgressAllow } from '#core/egress/policy.ts';
import { type Prices, readPrices, unusedPrices } from '#core/llm/prices.ts';
import { configureProviders, loadProviderPackages, type Providers } from '#core/llm/providers.ts';
import { openPubsub } from '#core/pubsub/open-pubsub.ts';
import type { Pubsub } from '#core/pubsub/pubsub.ts';
import type { JobQueue } from '#core/queue/job-queue.ts';
import { openJobQueue } from '#core/queue/open-job-queue.ts';
import { makeRedact, type Redact } from '#core/redact.ts';
import { parseToolSecrets, type ToolSecrets } from '#core/tools/http/secrets.ts';
import { loadTools } from '#core/tools/load.ts';
import { readMcpServers } from '#core/tools/mcp/config.ts';
import type { Warn } from '#core/tools/mcp/listing.ts';
import { type McpServers, openMcpServers } from '#core/tools/mcp/servers.ts';
import type { ToolRegistry } from '#core/tools/registry.ts';
import type { Wakeup } from '#core/turn/wakeup.ts';
import { newWebhookSecret, parseWebhookSecrets } from '#core/webhooks/sign.ts';
import { type Simulator, startSimulator } from '#simulator/start-simulator.ts';
import { type Availability, makeAvailability } from './availability.ts';
import { type ConnectionRefusals, trackConnectionRefusals } from './connection-refusals.ts';
import { knownSecrets } from './known-secrets.ts';
import type { Log } from './log.ts';
import type { Settings } from './settings.ts';
import { noTrace, type Tracer } from './trace.ts';

/** What API and worker share; a process that is both opens it once. */
export type Parts = {
  connection: Connection;
  jobQueue: JobQueue;
  pubsub: Pubsub;
  connectionRefusals: ConnectionRefusals;
  providers: Providers;
  prices: Prices;
  tools: ToolRegistry;
  mcp: McpServers;
  toolSecrets: ToolSecrets;
  redact: Redact;
  egressPolicy: EgressPolicy;
  egress: Egress;
  availability: Availability;
  tracer: Tracer;
  /** The secrets that sign for a project: webhooks and HTTP tools. */
  secretsOf(project: string): Promise<string[]>;
  /** Enqueues what is due; false where the queue is away, which fails nothing. */
  enqueue(wakeups: Wakeup[]): Promise<boolean>;
  /** The same from inside a job, ahead of its acknowledgement. */
  enqueueBeforeAck(wakeups: Wakeup[], handsOver?: string | null): Promise<void>;
  close(): Promise<void>;
};

type QueueObservers = Pick<Parts, 'availability' | 'connectionRefusals'>;

/**
 * Opens connections, queue, pubsub, providers and tools from the settings. A setting that cannot work stops the start.
 * `tracer` gets a span for each thing the worker does.
 */
export async function openParts(
  settings: Settings & { DATABASE_URL: string },
  log: Log,
  tracer: Tracer = noTrace,
): Promise<Parts> {
  const urls = { databaseUrl: settings.DATABASE_URL, redisUrl: settings.REDIS_URL };
  const tools = await loadTools(settings.PAWL_TOOLS, settings.PAWL_TOOL_RULES);
  const warn = (...line: Parameters<Warn>) => log.warn(...line);
  const mcp = openMcpServers(readMcpServers(settings.PAWL_MCP), warn, settings.variables.PATH);
  const toolSecrets = parseToolSecrets(settings.PAWL_SECRETS);
  const redact = makeRedact(knownSecrets(settings, toolSecrets));
  const simulator = lazySimulator();
  const packages = await loadProviderPackages(settings.variables);
  const providers = configureProviders(settings.variables, simulator, packages);
  const prices = readPrices(settings.PAWL_PRICES);
  for (const sentence of unusedPrices(prices, providers.names)) log.warn(sentence);
  const egressPolicy = parseEgressAllow(settings.PAWL_EGRESS_ALLOW);
  const egress = openEgress(egressPolicy);
  const connectionRefusals = trackConnectionRefusals(log);
  const jobQueue = await openJobQueue(urls, connectionRefusals.record);
  const connection = connect(settings.DATABASE_URL, undefined, connectionRefusals.record);
  const pubsub = openPubsub(urls);
  const deployment = { embedded: !settings.variables.DATABASE_URL, redis: settings.REDIS_URL !== undefined };
  const availability = makeAvailability({ db: connection.db, jobQueue, deployment });
  return {
    ...{ connection, jobQueue, pubsub, providers, prices, tools, mcp, toolSecrets, redact, egressPolicy, egress },
    ...{ availability, connectionRefusals, tracer },
    secretsOf: secretsFrom(settings, connection),
    ...enqueueOn(jobQueue, { availability, connectionRefusals }),
    close: async () => {
      availability.close();
      await Promise.all([mcp, egress, providers, jobQueue, pubsub, simulator].map((part) => part.close()));
      await connection.close();
    },
  };
}

/** Enqueues for a process, and records whether the queue took the wakeups. */
function enqueueOn(jobQueue: JobQueue, observers: QueueObservers): Pick<Parts, 'enqueue' | 'enqueueBeforeAck'> {
  return {
    enqueue: (wakeups) => recordEnqueued(jobQueue.enqueue(wakeups), observers),
    enqueueBeforeAck: async (wakeups, handsOver) => {
      const { arrived } = await jobQueue.enqueueBeforeAck(wakeups, handsOver);
      void recordEnqueued(arrived, observers);
    },
  };
}

/** The secrets in force: the operator's, or one made for the project and kept in the database. */
function secretsFrom({ PAWL_WEBHOOK_SECRET: given }: Settings, { db }: Connection): Parts['secretsOf'] {
  if (given) {
    const secrets = parseWebhookSecrets(given);
    return async () => secrets;
  }
  const known = new Map<string, string[]>();
  return async (project) => {
    const secrets = known.get(project) ?? [await findOrCreateWebhookSecret(db, project, newWebhookSecret)];
    known.set(project, secrets);
    return secrets;
  };
}

/** A queue that is away never fails what was committed: the rows are due, and the rescuer enqueues them again. */
async function recordEnqueued(
  enqueuing: Promise<void>,
  { availability, connectionRefusals }: QueueObservers,
): Promise<boolean> {
  try {
    await enqueuing;
    availability.queueAccepted();
    return true;
  } catch (error) {
    availability.suspect(error);
    connectionRefusals.record(error);
    return false;
  }
}

/** The simulator behind `sim/…`: started on loopback by the first call of such a model. */
function lazySimulator(): { baseUrl(): Promise<string>; close(): Promise<void> } {
  let started: Promise<Simulator> | undefined;
  return {
    baseUrl: async () => {
      started ??= startSimulator();
      return (await started).baseUrl;
    },
    close: async () => (await started)?.stop(),
  };
}

/** Logs what a process works with, a line each: data, queue, providers, tools. No secret is among it. */
export function logParts(log: Log, settings: Settings, parts: Pick<Parts, 'providers' | 'tools' | 'mcp'>): void {
  const { providers, tools, mcp } = parts;
  const { DATABASE_URL, REDIS_URL, PAWL_DATA_DIR, PAWL_TOOLS } = settings;
  log.info(
    `PostgreSQL: ${DATABASE_URL ? `at ${addressOf(DATABASE_URL)}` : `an embedded one in ${resolve(PAWL_DATA_DIR)}`}`,
  );
  log.info(`queue: ${REDIS_URL ? `Redis at ${addressOf(REDIS_URL)}` : 'on the same PostgreSQL'}`);
  log.info(`providers: ${providers.names.join(', ')}`);
  const count = tools.list().length;
  const own = count === 0 ? 'none of our own' : `${count} of ${resolve(PAWL_TOOLS || 'tools.ts')}`;
  log.info(`tools: ${own}${mcp.names.length === 0 ? '' : `, MCP servers: ${mcp.names.join(', ')}`}`);
}

/** Host, port and database of a URL, without user and password. */
function addressOf(url: string): string {
  const parsed = URL.parse(url);
  return parsed ? `${parsed.host}${parsed.pathname}` : 'an address that is no plain URL';
}
