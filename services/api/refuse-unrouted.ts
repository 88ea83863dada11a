import { createMiddleware } from 'hono/factory';
import { matchedRoutes } from 'hono/route';
import { RequestRefused } from '#core/failure.ts';
import { allowedMethods } from './allowed-methods.ts';
import type { makeRouter } from './make-router.ts';

type Registry = ReturnType<typeof makeRouter>['openAPIRegistry'];

/** Refuses what no route takes, before its body is looked at: by 405 where the path has other methods, else by 404. */
export function refuseUnrouted(registry: Registry) {
  return createMiddleware(async (c, next) => {
    // What is there for every method is no route, only on the way to one.
    if (matchedRoutes(c).some(({ method }) => method !== 'ALL')) return next();
    const methods = allowedMethods(registry, c.req.path);
    if (methods.length === 0 || methods.includes(c.req.method)) throw noRoute();
    c.header('Allow', methods.join(', '));
    const told = methods.filter((method) => method !== 'HEAD').join(' and ');
    throw new RequestRefused(405, 'method_not_allowed', `This path takes ${told} only. Use that.`);
  });
}

/** Says that there is no such path. */
export function noRoute(): RequestRefused {
  const message = 'There is no such route. GET /openapi.json lists those there are.';
  return new RequestRefused(404, 'route_not_found', message);
}
