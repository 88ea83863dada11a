import type { AddressInfo } from 'node:net';
import { findOrCreateSealingKey } from '#core/checkpoint/sealing-key.ts';
import { findTableLock } from '#core/checkpoint/table-lock.ts';
import { RequestRefused } from '#core/failure.ts';
import { allQueues } from '#core/queue/job.ts';
import type { Log } from '../process/log.ts';
import { metricsAccess } from '../process/metrics/metrics-access.ts';
import type { Parts } from '../process/parts.ts';
import type { Settings } from '../process/settings.ts';
import { makeTokensPerDay } from '../start/tokens-per-day.ts';
import { blobRoutes } from './blobs/blob-routes.ts';
import { bulkRoutes } from './bulk/bulk-routes.ts';
import type { ApiContext } from './context.ts';
import { forkRoutes } from './forks/fork-routes.ts';
import { rerunRoutes } from './forks/rerun-routes.ts';
import { type ApiKeys, authenticate, makeApiKeys } from './http/api-keys.ts';
import { readBody } from './http/body/read-body.ts';
import { handleError } from './http/errors.ts';
import { refuseUnknownFields } from './http/fields/unknown-fields.ts';
import { refuseForeignOrigin } from './http/foreign-origin.ts';
import { setResponseHeaders } from './http/response-headers.ts';
import { makeRouter } from './http/router.ts';
import { checkScope } from './http/scopes.ts';
import { openServer, SERVER_TIMES } from './http/server.ts';
import { noRoute, refuseUnknownRoute } from './http/unknown-route.ts';
import { turnInputRoutes } from './inputs/turn-input.ts';
import { completionActionRoutes } from './openai/completions/completion-actions.ts';
import { completionRoutes } from './openai/completions/completions.ts';
import { createCompletionRoutes } from './openai/completions/create-completion.ts';
import { createFileRoutes } from './openai/files/create-file.ts';
import { fileRoutes } from './openai/files/file-routes.ts';
import { compactResponseRoutes } from './openai/responses/compacting/compact-response.ts';
import { conversationItemRoutes } from './openai/responses/conversations/conversation-items.ts';
import { openaiConversationRoutes } from './openai/responses/conversations/openai-conversations.ts';
import { inputTokenRoutes } from './openai/responses/counting/input-tokens.ts';
import { createResponseRoutes } from './openai/responses/create-response.ts';
import { listedModelRoutes } from './openai/responses/listed-models.ts';
import { responseSettings } from './openai/responses/request/response-settings.ts';
import { responseActionRoutes } from './openai/responses/response-actions.ts';
import { responseRoutes } from './openai/responses/responses.ts';
import { newSealingKey } from './openai/responses/sealing/seal.ts';
import { makeStateSeals } from './openai/responses/sealing/state-seals.ts';
import type { AnswerRequest } from './openai/responses/websocket/answer-over.ts';
import { openResponseSockets } from './openai/responses/websocket/open-sockets.ts';
import type { SocketTimer } from './openai/responses/websocket/serve-socket.ts';
import { upgradeRequiredRoutes } from './openai/responses/websocket/upgrade-required.ts';
import { queueRoutes } from './operation/queues.ts';
import { sentRoundRoutes } from './operation/sent-round.ts';
import { statisticsRoutes } from './operation/statistics.ts';
import { turnCountRoutes } from './operation/turn-counts.ts';
import { workerRoutes } from './operation/workers.ts';
import { pageRoutes } from './pages.ts';
import { checkRequestQuota, makeRequestQuota } from './quotas/request-quota.ts';
import { makeStartQueue } from './quotas/start-queue.ts';
import { openAnyReader } from './read-anywhere.ts';
import { approvalRoutes } from './routes/approvals.ts';
import { catalogueRoutes } from './routes/catalogue.ts';
import { changeConversationRoute } from './routes/conversations/change-conversation.ts';
import { conversationRoutes, createConversationRoute } from './routes/conversations.ts';
import { createTurnRoutes } from './routes/create-turn.ts';
import { deliveryRoutes } from './routes/deliveries.ts';
import { describeApi } from './routes/describe-api.ts';
import { healthRoutes } from './routes/health.ts';
import { messageRoutes } from './routes/messages.ts';
import { metricsRoutes } from './routes/metrics.ts';
import { toolOutputRoutes } from './routes/tool-outputs.ts';
import { turnActionRoutes } from './routes/turn-actions.ts';
import { turnChainRoutes } from './routes/turn-chain.ts';
import { turnEventRoutes } from './routes/turn-events.ts';
import { turnRoutes } from './routes/turns.ts';
import { webhookEndpointActionRoutes } from './routes/webhook-endpoint-actions.ts';
import { webhookEndpointRoutes } from './routes/webhook-endpoints.ts';
import { scheduleRoutes } from './schedules/schedule-routes.ts';
import { makeStreamHub } from './stream/hub.ts';
import { makeStreamLimiter } from './stream/limiter.ts';
import { uiStreamRoutes } from './ui-stream/ui-stream-routes.ts';
import { usageRoutes } from './usage/usage-routes.ts';

/** An API that listens; `close` ends its streams, so that clients resume elsewhere, and answers pending requests. */
export type RunningApi = { url: string; keys: ApiKeys; close(graceMs: number): Promise<void> };

/** Starts to listen. Refuses to be reachable by others without keys. A test may give a timer. */
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

/** What the context has of this process alone. */
type Own = Pick<ApiContext, 'log' | 'isClosing' | 'stateSeals' | 'readAnywhere'>;

function contextOf(parts: Parts, settings: Settings, own: Own): ApiContext {
  const { connection, jobQueue, pubsub, providers, prices, projects, admission, tools, mcp, toolSecrets, redact } =
    parts;
  const { egressPolicy, egress, availability, connectionRefusals, metrics, tracer, secretsOf, enqueue } = parts;
  return {
    ...{ ...own, db: connection.db, pubsub, providers, prices, projects, admission, tools, mcp, toolSecrets, redact },
    ...{ egressPolicy, egress, availability, connectionRefusals, metrics, tracer, secretsOf, enqueue },
    countJobs: (queue) => jobQueue.count(queue === undefined ? allQueues(providers.names) : [queue]),
    keys: makeApiKeys(parts.accessKeys, settings.HOST),
    mayReadMetrics: metricsAccess(settings, parts.accessKeys),
    streamHub: makeStreamHub({ db: connection.db, readAnywhere: own.readAnywhere, pubsub, log: own.log, metrics }),
    streamLimiter: makeStreamLimiter(settings.PAWL_MAX_STREAMS),
    requestQuota: makeRequestQuota(connection.db),
    startQueue: makeStartQueue(connection.db),
    tokensPerDay: makeTokensPerDay(connection.db, projects),
    toolRules: settings.PAWL_TOOL_RULES,
    toolOutputLimit: settings.PAWL_TOOL_OUTPUT_LIMIT,
    bodyLimit: settings.PAWL_BODY_LIMIT,
    publicUrl: settings.PAWL_PUBLIC_URL,
    responses: responseSettings(settings, providers),
  };
}

/** The whole API: HTTP in, checkpoint verbs, HTTP out. */
export function makeApp(context: ApiContext) {
  const app = makeRouter();
  const answerError = handleError(context.log, async () => (await findTableLock(context.db))?.table ?? null);
  app.onError((error, c) => {
    if (!(error instanceof RequestRefused)) context.availability.suspect(error);
    return answerError(error, c);
  });
  app.notFound(() => {
    throw noRoute();
  });
  app.use('*', setResponseHeaders);
  app.use('*', refuseForeignOrigin(context.keys));
  for (const paths of ['/v1/*', '/openai/v1/*']) app.use(paths, authenticate(context.keys));
  app.use('*', refuseUnknownRoute(app.openAPIRegistry));
  for (const paths of ['/v1/*', '/openai/v1/*']) app.use(paths, checkScope);
  for (const paths of ['/v1/*', '/openai/v1/*']) app.use(paths, checkRequestQuota(context));
  const read = readBody(context.bodyLimit);
  const refuseFields = refuseUnknownFields(app.openAPIRegistry);
  for (const paths of ['/v1/*', '/openai/v1/*']) app.use(paths, read, refuseFields);

  for (const makeRoutes of [...NATIVE_ROUTES, ...OPENAI_ROUTES]) app.route('/', makeRoutes(context));
  app.route('/', pageRoutes());
  describeApi(app, context.publicUrl);
  return app;
}

const NATIVE_ROUTES = [
  ...[
    createConversationRoute,
    conversationRoutes,
    changeConversationRoute,
    createTurnRoutes,
    turnRoutes,
    turnActionRoutes,
    turnInputRoutes,
    forkRoutes,
    rerunRoutes,
  ],
  ...[turnEventRoutes, turnChainRoutes, uiStreamRoutes, toolOutputRoutes, approvalRoutes, messageRoutes, blobRoutes],
  ...[deliveryRoutes, webhookEndpointRoutes, webhookEndpointActionRoutes],
  ...[bulkRoutes, usageRoutes, scheduleRoutes],
  ...[catalogueRoutes, healthRoutes, metricsRoutes, workerRoutes, queueRoutes],
  ...[statisticsRoutes, turnCountRoutes, sentRoundRoutes],
];

const OPENAI_ROUTES = [
  ...[createResponseRoutes, responseRoutes, responseActionRoutes, upgradeRequiredRoutes],
  ...[compactResponseRoutes, inputTokenRoutes, listedModelRoutes],
  ...[createCompletionRoutes, completionRoutes, completionActionRoutes],
  ...[openaiConversationRoutes, conversationItemRoutes],
  ...[createFileRoutes, fileRoutes],
];
