import type { AddressInfo } from 'node:net';
import { RequestRefused } from '#core/failure.ts';
import { allQueues } from '#core/queue/job.ts';
import type { Log } from '../process/log.ts';
import type { Parts } from '../process/parts.ts';
import type { Settings } from '../process/settings.ts';
import type { ApiContext } from './context.ts';
import { type ApiKeys, authenticate, readApiKeys } from './http/api-keys.ts';
import { limitBody, readJson } from './http/body.ts';
import { handleError } from './http/errors.ts';
import { refuseForeignOrigin } from './http/foreign-origin.ts';
import { makeRouter } from './http/router.ts';
import { openServer, SERVER_TIMES } from './http/server.ts';
import { refuseUnknownFields } from './http/unknown-fields.ts';
import { noRoute, refuseUnknownRoute } from './http/unknown-route.ts';
import { docsPageRoutes, inspectorPageRoutes } from './pages.ts';
import { approvalRoutes } from './routes/approvals.ts';
import { catalogueRoutes } from './routes/catalogue.ts';
import { conversationRoutes, createConversationRoute } from './routes/conversations.ts';
import { createTurnRoutes } from './routes/create-turn.ts';
import { deliveryRoutes } from './routes/deliveries.ts';
import { describeApi } from './routes/describe-api.ts';
import { healthRoutes } from './routes/health.ts';
import { messageRoutes } from './routes/messages.ts';
import { metricsRoutes } from './routes/metrics.ts';
import { toolOutputRoutes } from './routes/tool-outputs.ts';
import { turnActionRoutes } from './routes/turn-actions.ts';
import { turnEventRoutes } from './routes/turn-events.ts';
import { turnRoutes } from './routes/turns.ts';
import { webhookEndpointActionRoutes } from './routes/webhook-endpoint-actions.ts';
import { webhookEndpointRoutes } from './routes/webhook-endpoints.ts';
import { makeStreamHub } from './stream/hub.ts';
import { makeStreamLimiter } from './stream/limiter.ts';

/** An API that listens; `close` ends its streams, so that clients resume elsewhere, and answers pending requests. */
export type RunningApi = { url: string; keys: ApiKeys; close(graceMs: number): Promise<void> };

/** Starts to listen. Refuses to be reachable by others without keys. */
export async function startApi(parts: Parts, settings: Settings, log: Log): Promise<RunningApi> {
  const {
    connection,
    jobQueue,
    pubsub,
    providers,
    tools,
    mcp,
    toolSecrets,
    redact,
    egressPolicy,
    egress,
    secretsOf,
    enqueue,
  } = parts;
  const keys = readApiKeys(settings.PAWL_API_KEYS, settings.HOST);
  const streamHub = makeStreamHub({ db: connection.db, pubsub, log });
  const countJobs = () => jobQueue.count(allQueues(providers.names));
  const tooling = { tools, mcp, toolSecrets, redact };
  const { availability, connectionRefusals } = parts;
  const outside = { egressPolicy, egress, availability, connectionRefusals };
  const shared = { countJobs, db: connection.db, pubsub, providers, ...tooling, ...outside, secretsOf, enqueue };
  const limits = { toolRules: settings.PAWL_TOOL_RULES, toolOutputLimit: settings.PAWL_TOOL_OUTPUT_LIMIT };
  const streamLimiter = makeStreamLimiter(settings.PAWL_MAX_STREAMS);
  const app = makeApp({ ...shared, ...limits, log, streamHub, keys, streamLimiter });
  const at = { host: settings.HOST, port: settings.PORT };
  const server = await openServer(app.fetch, at, { ...SERVER_TIMES, connections: settings.PAWL_MAX_CONNECTIONS });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${settings.HOST.includes(':') ? `[${settings.HOST}]` : settings.HOST}:${port}`,
    keys,
    close: async (graceMs) => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      await streamHub.close();
      const timer = setTimeout(() => server.closeAllConnections(), graceMs);
      server.closeIdleConnections();
      await closed;
      clearTimeout(timer);
    },
  };
}

/** The whole API: HTTP in, checkpoint verbs, HTTP out. */
export function makeApp(context: ApiContext) {
  const app = makeRouter();
  const answerError = handleError(context.log);
  app.onError((error, c) => {
    if (!(error instanceof RequestRefused)) context.availability.suspect(error);
    return answerError(error, c);
  });
  app.notFound(() => {
    throw noRoute();
  });
  app.use('*', refuseForeignOrigin(context.keys));
  app.use('/v1/*', authenticate(context.keys));
  app.use('/metrics', authenticate(context.keys));
  app.use('*', refuseUnknownRoute(app.openAPIRegistry));
  app.use('/v1/*', limitBody);
  app.use('/v1/*', readJson);
  app.use('/v1/*', refuseUnknownFields(app.openAPIRegistry));

  const routes = [createConversationRoute, conversationRoutes, createTurnRoutes, turnRoutes, turnActionRoutes];
  const more = [
    turnEventRoutes,
    toolOutputRoutes,
    approvalRoutes,
    messageRoutes,
    deliveryRoutes,
    webhookEndpointRoutes,
    webhookEndpointActionRoutes,
    catalogueRoutes,
    healthRoutes,
    metricsRoutes,
  ];
  for (const makeRoutes of [...routes, ...more]) app.route('/', makeRoutes(context));
  app.route('/', inspectorPageRoutes());
  app.route('/', docsPageRoutes());
  describeApi(app);
  return app;
}
