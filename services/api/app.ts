import { blobRoutes } from './blobs/blob-routes.ts';
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
import { turnRoutes } from './turns/turn-routes.ts';
import { uiStreamRoutes } from './ui-stream/ui-stream-routes.ts';
import { webhookRoutes } from './webhooks/webhook-routes.ts';

/** The whole API: HTTP in, checkpoint verbs, HTTP out. */
export function makeApp(context: ApiContext) {
  const app = makeRouter();
  guardRequests(app, context);
  app.route('/', allRoutes(context));
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
  ...[createResponseRoutes, responseRoutes, upgradeRequiredRoutes],
  ...[compactResponseRoutes, inputTokenRoutes, listedModelRoutes],
  ...[createCompletionRoutes, completionRoutes],
  ...[openaiConversationRoutes, conversationItemRoutes],
  ...[createFileRoutes, fileRoutes],
];
