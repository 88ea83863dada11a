import { type Connection, connect } from '#core/checkpoint/connect.ts';
import { findWebhookSecret } from '#core/checkpoint/find-webhook-secret.ts';
import type { Live } from '#core/live/live.ts';
import { openLive } from '#core/live/open-live.ts';
import { configureProviders, type Providers } from '#core/llm/providers.ts';
import { type EgressPolicy, parseEgressAllow } from '#core/outbound/egress-policy.ts';
import { type Gate, openGate } from '#core/outbound/open-gate.ts';
import type { Bell } from '#core/queue/bell.ts';
import { openBell } from '#core/queue/open-bell.ts';
import { makeRedact, type Redact } from '#core/redact.ts';
import { loadTools } from '#core/tools/load-tools.ts';
import { type McpServers, openMcpServers } from '#core/tools/mcp/open-mcp-servers.ts';
import { readMcpServers } from '#core/tools/mcp/read-mcp-servers.ts';
import type { ToolRegistry } from '#core/tools/tool-registry.ts';
import { parseToolSecrets, type ToolSecrets } from '#core/tools/tool-secrets.ts';
import type { Ring } from '#core/turn/ring.ts';
import { newWebhookSecret, parseWebhookSecrets } from '#core/webhook/secret.ts';
import { type Availability, makeAvailability } from './availability.ts';
import { knownSecrets } from './known-secrets.ts';
import { lazySimulator } from './lazy-simulator.ts';
import type { Log } from './log.ts';
import { type Refusals, watchRefusals } from './refusals.ts';
import type { Settings } from './settings.ts';

/** What API and worker both stand on; a process that is both opens it once. */
export type Parts = {
  connection: Connection;
  bell: Bell;
  live: Live;
  refusals: Refusals;
  providers: Providers;
  tools: ToolRegistry;
  mcp: McpServers;
  toolSecrets: ToolSecrets;
  redact: Redact;
  egress: EgressPolicy;
  gate: Gate;
  availability: Availability;
  secretsOf(project: string): Promise<string[]>;
  /** Rings; false where the queue is away, which fails nothing. */
  ring(rings: Ring[]): Promise<boolean>;
  /** The same from inside a job, whose acknowledgement it goes ahead of. */
  ringAhead(rings: Ring[]): Promise<void>;
  close(): Promise<void>;
};

type Env = Record<string, string | undefined>;

/** Opens connections, queue, wire, providers and tools from the settings. A setting that cannot work stops the start. */
export async function openParts(settings: Settings & { DATABASE_URL: string }, env: Env, log: Log): Promise<Parts> {
  const urls = { databaseUrl: settings.DATABASE_URL, redisUrl: settings.REDIS_URL };
  const tools = await loadTools(settings.PAWL_TOOLS, settings.PAWL_TOOL_RULES);
  const mcp = openMcpServers(readMcpServers(settings.PAWL_MCP), (...told) => log.warn(...told));
  const toolSecrets = parseToolSecrets(settings.PAWL_SECRETS);
  const redact = makeRedact(knownSecrets(settings, env, toolSecrets));
  const simulator = lazySimulator();
  const providers = configureProviders(env, simulator);
  const egress = parseEgressAllow(settings.PAWL_EGRESS_ALLOW);
  const gate = openGate(egress);
  const refusals = watchRefusals(log);
  const bell = await openBell(urls, refusals.hear);
  const connection = connect(settings.DATABASE_URL, undefined, refusals.hear);
  const live = openLive(urls);
  const places = { embedded: !env.DATABASE_URL, redis: settings.REDIS_URL !== undefined };
  const availability = makeAvailability({ db: connection.db, bell, places });
  return {
    ...{ connection, bell, live, providers, tools, mcp, toolSecrets, redact, egress, gate, availability, refusals },
    secretsOf: secretsFrom(settings, connection),
    ring: (rings) => noteRinging(bell.ring(rings), { availability, refusals }),
    ringAhead: async (rings) => {
      const { arrived } = await bell.ringAhead(rings);
      void noteRinging(arrived, { availability, refusals });
    },
    close: async () => {
      availability.close();
      await Promise.all([mcp.close(), gate.close(), providers.close(), bell.close(), live.close(), simulator.close()]);
      await connection.close();
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
    const secrets = known.get(project) ?? [await findWebhookSecret(db, project, newWebhookSecret)];
    known.set(project, secrets);
    return secrets;
  };
}

/** A queue that is away never fails what was committed: the rows are due, and the rescuer rings again. */
async function noteRinging(
  ringing: Promise<void>,
  { availability, refusals }: Pick<Parts, 'availability' | 'refusals'>,
): Promise<boolean> {
  try {
    await ringing;
    availability.queueTook();
    return true;
  } catch (error) {
    availability.suspect(error);
    refusals.hear(error);
    return false;
  }
}
