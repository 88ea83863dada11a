import type { AddressInfo } from 'node:net';
import { type ServerType, serve } from '@hono/node-server';
import { allQueues } from '#core/queue/all-queues.ts';
import type { Log } from '../log.ts';
import type { Parts } from '../open-parts.ts';
import type { Settings } from '../settings.ts';
import { readApiKeys } from './api-keys.ts';
import { makeApp } from './app.ts';
import { makeTurnWatch } from './watch/watch-turns.ts';

/** An API that listens; `close` ends streams so that clients resume, answers what is under way, and is done. */
export type OpenApi = { url: string; close(graceMs: number): Promise<void> };

/** Starts to listen. Refuses to be open to others without keys. */
export async function openApi(parts: Parts, settings: Settings, log: Log): Promise<OpenApi> {
  const { connection, bell, live, providers, tools, mcp, toolSecrets, redact, egress, gate, secretsOf, ring } = parts;
  const { refusals } = parts;
  const keys = readApiKeys(settings.PAWL_API_KEYS, settings.HOST);
  const watch = makeTurnWatch({ db: connection.db, live, log });
  const countJobs = () => bell.count(allQueues(providers.names));
  const tooling = { tools, mcp, toolSecrets, redact };
  const shared = { countJobs, db: connection.db, live, refusals, providers, ...tooling, egress, gate, secretsOf, ring };
  const limits = { toolRules: settings.PAWL_TOOL_RULES, toolOutputLimit: settings.PAWL_TOOL_OUTPUT_LIMIT };
  const app = makeApp({ ...shared, ...limits, log, watch, keys });
  const server = await listen(app.fetch, settings);
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${settings.HOST.includes(':') ? `[${settings.HOST}]` : settings.HOST}:${port}`,
    close: async (graceMs) => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      await watch.close();
      const patience = setTimeout(() => 'closeAllConnections' in server && server.closeAllConnections(), graceMs);
      if ('closeIdleConnections' in server) server.closeIdleConnections();
      await closed;
      clearTimeout(patience);
    },
  };
}

function listen(fetch: Parameters<typeof serve>[0]['fetch'], { HOST, PORT }: Settings): Promise<ServerType> {
  return new Promise((resolve, reject) => {
    const server = serve({ fetch, hostname: HOST, port: PORT }, () => resolve(server));
    server.on('error', reject);
  });
}
