import { bodyLimit } from 'hono/body-limit';
import { RequestRefused } from '#core/failure.ts';
import { authenticate } from './authenticate.ts';
import type { ApiContext } from './context.ts';
import { handleError } from './handle-error.ts';
import { makeRouter } from './make-router.ts';
import { readJson } from './read-json.ts';
import { approvalRoutes } from './routes/approvals.ts';
import { catalogueRoutes } from './routes/catalogue.ts';
import { conversationRoutes } from './routes/conversations.ts';
import { createConversationRoute } from './routes/create-conversation.ts';
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

const MAX_BODY_BYTES = 1024 * 1024;

/** The whole API: HTTP in, checkpoint verbs, HTTP out. */
export function makeApp(context: ApiContext) {
  const app = makeRouter();
  app.onError(handleError(context.log));
  app.notFound(() => {
    throw new RequestRefused(
      404,
      'route_not_found',
      'There is no such route. GET /openapi.json lists those there are.',
    );
  });
  app.use('/v1/*', authenticate(context.keys));
  app.use('/metrics', authenticate(context.keys));
  app.use('/v1/*', bodyLimit({ maxSize: MAX_BODY_BYTES, onError: refuseBody }));
  app.use('/v1/*', readJson);

  const routes = [createConversationRoute, conversationRoutes, createTurnRoutes, turnRoutes, turnActionRoutes];
  const more = [
    turnEventRoutes,
    toolOutputRoutes,
    approvalRoutes,
    messageRoutes,
    deliveryRoutes,
    catalogueRoutes,
    healthRoutes,
    metricsRoutes,
  ];
  for (const makeRoutes of [...routes, ...more]) app.route('/', makeRoutes(context));
  describeApi(app);
  return app;
}

function refuseBody(): never {
  throw new RequestRefused(413, 'body_too_large', 'The body is larger than 1 MiB. Send less, or split it over turns.');
}
