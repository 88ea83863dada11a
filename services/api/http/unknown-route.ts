import type { Context } from 'hono';
import { createMiddleware } from 'hono/factory';
import { matchedRoutes } from 'hono/route';
import { RequestRefused } from '#core/failure.ts';
import { newId } from '#core/id.ts';
import { refused } from '../schemas/errors/error-codes.ts';
import { isUnderResponses } from './response-base.ts';
import type { makeRouter } from './router.ts';

type Registry = ReturnType<typeof makeRouter>['openAPIRegistry'];

/** Refuses a request without a route before its body is read: with 405 if the path has other methods, else with 404. */
export function refuseUnknownRoute(registry: Registry) {
  return createMiddleware(async (c, next) => {
    if (matchedRoute(c)) return next();
    const methods = allowedMethods(registry, c.req.path);
    const isUnknown = methods.length === 0 || methods.includes(c.req.method);
    if (isUnknown) {
      // An OpenAI client requests a part of OpenAI's API that Pawl does not have.
      if (!isUnderResponses(c.req.path)) c.header('x-request-id', newId('req'));
      throw refused('route_not_found');
    }
    c.header('Allow', methods.join(', '));
    const listed = methods.filter((method) => method !== 'HEAD').join(' and ');
    throw new RequestRefused(405, 'method_not_allowed', `This path accepts ${listed} only. Change the method.`);
  });
}

/** Returns the route of a request. A handler of all methods is a middleware and not a route. */
export function matchedRoute(c: Context) {
  return matchedRoutes(c).find(({ method }) => method !== 'ALL');
}

/** Returns the methods of a path. Empty if no route has the path. */
function allowedMethods({ definitions }: Registry, path: string): string[] {
  const routes = definitions.flatMap((definition) => (definition.type === 'route' ? [definition.route] : []));
  const fitting = routes.filter((route) => patternOf(route.path).test(path));
  const methods = fitting.map(({ method }) => method.toUpperCase());
  return [...new Set(methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])))];
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`);
}
