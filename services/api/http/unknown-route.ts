import type { Context } from 'hono';
import { createMiddleware } from 'hono/factory';
import { matchedRoutes } from 'hono/route';
import { RequestRefused } from '#core/failure.ts';
import { newId } from '#core/id.ts';
import { refused } from '../schemas/errors/error-codes.ts';
import { isUnderResponses } from './response-base.ts';
import type { makeRouter } from './router.ts';

type Registry = ReturnType<typeof makeRouter>['openAPIRegistry'];

/** Refuses what no route takes before its body is read: by 405 where the path has other methods, else by 404. */
export function refuseUnknownRoute(registry: Registry) {
  return createMiddleware(async (c, next) => {
    if (matchedRoute(c)) return next();
    const methods = allowedMethods(registry, c.req.path);
    const isUnknown = methods.length === 0 || methods.includes(c.req.method);
    if (isUnknown) {
      // A client of OpenAI's that looks for more of its API than there is.
      if (!isUnderResponses(c.req.path)) c.header('x-request-id', newId('req'));
      throw refused('route_not_found');
    }
    c.header('Allow', methods.join(', '));
    const listed = methods.filter((method) => method !== 'HEAD').join(' and ');
    throw new RequestRefused(405, 'method_not_allowed', `This path takes ${listed} only. Use that.`);
  });
}

/** The route that a request takes. A handler of all methods is a middleware and no route. */
export function matchedRoute(c: Context) {
  return matchedRoutes(c).find(({ method }) => method !== 'ALL');
}

/** The methods that some route has for a path; none where there is no such path. */
function allowedMethods({ definitions }: Registry, path: string): string[] {
  const routes = definitions.flatMap((definition) => (definition.type === 'route' ? [definition.route] : []));
  const fitting = routes.filter((route) => patternOf(route.path).test(path));
  const methods = fitting.map(({ method }) => method.toUpperCase());
  return [...new Set(methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])))];
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`);
}
