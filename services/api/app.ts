import { agentRoutes } from './agents/agent-routes.ts';
import { blobRoutes } from './blobs/blob-routes.ts';
import type { ApiContext } from './context.ts';
import { conversationRoutes } from './conversations/conversation-routes.ts';
import { guardRequests } from './http/guard-requests.ts';
import { joinRoutes, makeRouter } from './http/router.ts';
import { openaiRoutes } from './openai/openai-routes.ts';
import { operationRoutes } from './operations/operation-routes.ts';
import { describeApi } from './pages/describe-api.ts';
import { pageRoutes } from './pages/pages.ts';
import { scheduleRoutes } from './schedules/schedule-routes.ts';
import { turnRoutes } from './turns/turn-routes.ts';
import { uiStreamRoutes } from './ui-stream/ui-stream-routes.ts';
import { webhookRoutes } from './webhooks/webhook-routes.ts';

/** Builds the API: it reads HTTP requests, calls checkpoint verbs, and writes HTTP answers. */
export function makeApp(context: ApiContext) {
  const app = makeRouter();
  guardRequests(app, context);
  app.route('/', allRoutes(context));
  describeApi(app, context.publicUrl);
  return app;
}

const allRoutes = joinRoutes<ApiContext>(
  agentRoutes,
  conversationRoutes,
  turnRoutes,
  uiStreamRoutes,
  blobRoutes,
  webhookRoutes,
  scheduleRoutes,
  operationRoutes,
  openaiRoutes,
  () => pageRoutes(),
);
