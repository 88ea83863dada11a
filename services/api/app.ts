import { RequestRefused } from '#core/failure.ts';
import { authenticate } from './authenticate.ts';
import type { ApiContext } from './context.ts';
import { handleError } from './handle-error.ts';
import { limitBody } from './limit-body.ts';
import { makeRouter } from './make-router.ts';
import { readJson } from './read-json.ts';
import { refuseForeign } from './refuse-foreign.ts';
import { refuseUnread } from './refuse-unread.ts';
import { noRoute, refuseUnrouted } from './refuse-unrouted.ts';
import { approvalRoutes } from './routes/approvals.ts';
import { catalogueRoutes } from './routes/catalogue.ts';
import { conversationRoutes } from './routes/conversations.ts';
import { createConversationRoute } from './routes/create-conversation.ts';
import { createTurnRoutes } from './routes/create-turn.ts';
import { deliveryRoutes } from './routes/deliveries.ts';
import { describeApi } from './routes/describe-api.ts';
import { docsRoutes } from './routes/docs.ts';
import { healthRoutes } from './routes/health.ts';
import { inspectorRoutes } from './routes/inspector.ts';
import { messageRoutes } from './routes/messages.ts';
import { metricsRoutes } from './routes/metrics.ts';
import { toolOutputRoutes } from './routes/tool-outputs.ts';
import { turnActionRoutes } from './routes/turn-actions.ts';
import { turnEventRoutes } from './routes/turn-events.ts';
import { turnRoutes } from './routes/turns.ts';
import { webhookEndpointActionRoutes } from './routes/webhook-endpoint-actions.ts';
import { webhookEndpointRoutes } from './routes/webhook-endpoints.ts';

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
  app.use('*', refuseForeign(context.keys));
  app.use('/v1/*', authenticate(context.keys));
  app.use('/metrics', authenticate(context.keys));
  app.use('*', refuseUnrouted(app.openAPIRegistry));
  app.use('/v1/*', limitBody);
  app.use('/v1/*', readJson);
  app.use('/v1/*', refuseUnread(app.openAPIRegistry));

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
  app.route('/', inspectorRoutes());
  app.route('/', docsRoutes());
  describeApi(app);
  return app;
}
