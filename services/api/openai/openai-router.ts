import { createRoute, type OpenAPIHono, type RouteConfig, type RouteHandler } from '@hono/zod-openapi';
import { RESPONSE_BASES, type ResponseBase } from '../http/response-base.ts';
import { type ApiEnv, makeRouter } from '../http/router.ts';

/** Adds a route to a router, under a base. */
type AddRoute = (router: OpenAPIHono<ApiEnv>, base: ResponseBase) => void;

/** Makes the router of routes of OpenAI's API. Their paths are relative to a base. They are served under both bases. */
export function makeOpenaiRouter(explain: Parameters<typeof makeRouter>[0], routes: AddRoute[]) {
  const router = makeRouter(explain);
  for (const base of RESPONSE_BASES) for (const addRoute of routes) addRoute(router, base);
  return router;
}

/** Gives a route its handler. */
export function serve<Route extends RouteConfig>(route: Route, handler: RouteHandler<Route, ApiEnv>): AddRoute {
  const { operationId = '', summary = '' } = route;
  return (router, base) => {
    const named = { ...route, ...operationAt(base, operationId, summary) };
    router.openapi(createRoute({ ...named, path: `${base}${route.path}` }), handler as never);
  };
}

/** Names an operation at one of the two bases. The second base is for clients with one base URL. */
export function operationAt(base: ResponseBase, operationId: string, summary: string) {
  if (base === '/v1') return { operationId, summary };
  return { operationId: `${operationId}ForOpenai`, summary: `${summary} (OpenAI base URL)` };
}
