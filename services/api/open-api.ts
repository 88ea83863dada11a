import type { AddressInfo } from 'node:net';
import { allQueues } from '#core/queue/all-queues.ts';
import type { Log } from '../log.ts';
import type { Parts } from '../open-parts.ts';
import type { Settings } from '../settings.ts';
import { type ApiKeys, readApiKeys } from './api-keys.ts';
import { makeApp } from './app.ts';
import { makeHeldRequests } from './held-requests.ts';
import { openServer, SERVER_TIMES } from './open-server.ts';
import { makeTurnWatch } from './watch/watch-turns.ts';

/** An API that listens; `close` ends streams so that clients resume, answers what is under way, and is done. */
export type OpenApi = { url: string; keys: ApiKeys; close(graceMs: number): Promise<void> };

/** Starts to listen. Refuses to be open to others without keys. */
export async function openApi(parts: Parts, settings: Settings, log: Log): Promise<OpenApi> {
  const { connection, bell, live, providers, tools, mcp, toolSecrets, redact, egress, gate, secretsOf, ring } = parts;
  const keys = readApiKeys(settings.PAWL_API_KEYS, settings.HOST);
  const watch = makeTurnWatch({ db: connection.db, live, log });
  const countJobs = () => bell.count(allQueues(providers.names));
  const tooling = { tools, mcp, toolSecrets, redact };
  const { availability, refusals } = parts;
  const outside = { egress, gate, availability, refusals };
  const shared = { countJobs, db: connection.db, live, providers, ...tooling, ...outside, secretsOf, ring };
  const limits = { toolRules: settings.PAWL_TOOL_RULES, toolOutputLimit: settings.PAWL_TOOL_OUTPUT_LIMIT };
  const held = makeHeldRequests(settings.PAWL_MAX_STREAMS);
  const app = makeApp({ ...shared, ...limits, log, watch, keys, held });
  const at = { host: settings.HOST, port: settings.PORT };
  const server = await openServer(app.fetch, at, { ...SERVER_TIMES, connections: settings.PAWL_MAX_CONNECTIONS });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${settings.HOST.includes(':') ? `[${settings.HOST}]` : settings.HOST}:${port}`,
    keys,
    close: async (graceMs) => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      await watch.close();
      const patience = setTimeout(() => server.closeAllConnections(), graceMs);
      server.closeIdleConnections();
      await closed;
      clearTimeout(patience);
    },
  };
}
