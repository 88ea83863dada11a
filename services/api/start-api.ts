import type { AddressInfo } from 'node:net';
import { findOrCreateSealingKey } from '#core/checkpoint/sealing-key.ts';
import { allQueues } from '#core/queue/job.ts';
import type { Log } from '../process/log.ts';
import { metricsAccess } from '../process/metrics/metrics-access.ts';
import type { Parts } from '../process/parts.ts';
import type { Settings } from '../process/settings.ts';
import { makeTokensPerDay } from '../start/tokens-per-day.ts';
import { makeApp } from './app.ts';
import type { ApiContext } from './context.ts';
import { type ApiKeys, makeApiKeys } from './http/api-keys.ts';
import { openServer, SERVER_TIMES } from './http/server.ts';
import { responseSettings } from './openai/responses/request/response-settings.ts';
import { newSealingKey } from './openai/responses/sealing/seal.ts';
import { makeStateSeals } from './openai/responses/sealing/state-seals.ts';
import type { AnswerRequest } from './openai/responses/websocket/create-over.ts';
import { openResponseSockets } from './openai/responses/websocket/open-sockets.ts';
import type { SocketTimer } from './openai/responses/websocket/serve-socket.ts';
import { makeRequestQuota } from './quotas/request-quota.ts';
import { makeStartQueue } from './quotas/start-queue.ts';
import { openAnyReader } from './read-anywhere.ts';
import { makeStreamHub } from './stream/hub.ts';
import { makeStreamLimiter } from './stream/limiter.ts';

/** An API that listens. `close` ends its streams, so that clients resume elsewhere, and answers pending requests. */
export type RunningApi = { url: string; keys: ApiKeys; close(graceMs: number): Promise<void> };

/** Starts to listen. Without keys, it refuses an address that others can reach. A test may give a timer. */
export async function startApi(parts: Parts, settings: Settings, log: Log, timer?: SocketTimer): Promise<RunningApi> {
  let isClosing = false;
  const stateSeals = makeStateSeals(await findOrCreateSealingKey(parts.connection.db, newSealingKey));
  const { metrics, connection } = parts;
  const anyReader = openAnyReader(settings, { db: connection.db, log, metrics });
  const { readAnywhere } = anyReader;
  const context = contextOf(parts, settings, { log, isClosing: () => isClosing, stateSeals, readAnywhere });
  const { keys, streamHub } = context;
  const at = { host: settings.HOST, port: settings.PORT };
  const app = makeApp(context);
  const answer = app.fetch as AnswerRequest;
  const sockets = openResponseSockets({ context, answer, ...(timer && { timer }) });
  const limits = { ...SERVER_TIMES, connections: settings.PAWL_MAX_CONNECTIONS };
  const server = await openServer(app.fetch, at, { ...limits, upgrades: sockets });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${settings.HOST.includes(':') ? `[${settings.HOST}]` : settings.HOST}:${port}`,
    keys,
    close: async (graceMs) => {
      isClosing = true;
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      await streamHub.close();
      sockets.close(graceMs);
      const timer = setTimeout(() => server.closeAllConnections(), graceMs);
      server.closeIdleConnections();
      await closed;
      clearTimeout(timer);
      await anyReader.close();
    },
  };
}

/** The part of the context that belongs to this process alone. */
type Own = Pick<ApiContext, 'log' | 'isClosing' | 'stateSeals' | 'readAnywhere'>;

function contextOf(parts: Parts, settings: Settings, own: Own): ApiContext {
  const { jobQueue, pubsub, providers, metrics } = parts;
  const { db } = parts.connection;
  return {
    ...parts,
    ...own,
    db,
    countJobs: (queue) => jobQueue.count(queue === undefined ? allQueues(providers.names) : [queue]),
    keys: makeApiKeys(parts.accessKeys, settings.HOST),
    mayReadMetrics: metricsAccess(settings, parts.accessKeys),
    streamHub: makeStreamHub({ db, readAnywhere: own.readAnywhere, pubsub, log: own.log, metrics }),
    streamLimiter: makeStreamLimiter(settings.PAWL_MAX_STREAMS),
    requestQuota: makeRequestQuota(db),
    startQueue: makeStartQueue(db),
    tokensPerDay: makeTokensPerDay(db, parts.projects),
    toolRules: settings.PAWL_TOOL_RULES,
    toolOutputLimit: settings.PAWL_TOOL_OUTPUT_LIMIT,
    bodyLimit: settings.PAWL_BODY_LIMIT,
    publicUrl: settings.PAWL_PUBLIC_URL,
    responses: responseSettings(settings, providers),
  };
}
