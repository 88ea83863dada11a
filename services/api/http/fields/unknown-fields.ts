import type { RouteConfig } from '@hono/zod-openapi';
import { createMiddleware } from 'hono/factory';
import { z } from 'zod';
import { RequestRefused } from '#core/failure.ts';
import { shorten } from '#core/text.ts';
import { isOfMetadata } from '../../schemas/fields/metadata-query.ts';
import { explainIssues } from '../issues.ts';
import type { makeRouter } from '../router.ts';
import { matchedRoute } from '../unknown-route.ts';

type Registry = ReturnType<typeof makeRouter>['openAPIRegistry'];

/** The parts of a request that a route reads, besides its path. */
type Reads = { query: Set<string>; body: boolean };

const Nothing = z.strictObject({});

/** Refuses unknown query parameters, and fields in the body of a route that has no body. */
export function refuseUnknownFields(registry: Registry) {
  let routes: Map<string, Reads> | undefined;
  return createMiddleware(async (c, next) => {
    routes ??= readsByRoute(registry);
    const route = matchedRoute(c);
    const reads = route && routes.get(`${route.method} ${route.path}`);
    if (reads) {
      refuseQuery(c.req.query(), reads);
      if (!reads.body && c.req.method === 'POST') refuseBody(await c.req.text());
    }
    await next();
  });
}

function readsByRoute({ definitions }: Registry): Map<string, Reads> {
  const routes = definitions.flatMap((definition) => (definition.type === 'route' ? [definition.route] : []));
  return new Map(routes.map((route) => [nameOf(route), readsOf(route)]));
}

/** Returns the router's name of a route: a parameter is `:id` and not `{id}`. */
function nameOf({ method, path }: RouteConfig): string {
  return `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`;
}

function readsOf({ request }: RouteConfig): Reads {
  const query = request?.query instanceof z.ZodObject ? Object.keys(request.query.shape) : [];
  return { query: new Set(query), body: request?.body !== undefined };
}

function refuseQuery(given: Record<string, string>, { query }: Reads): void {
  const isKnown = (name: string) => query.has(name) || (query.has('metadata') && isOfMetadata(name));
  const unknown = Object.keys(given).find((name) => !isKnown(name));
  if (unknown === undefined) return;
  const message = `Unknown query parameter \`${shorten(unknown)}\`. Remove it, or check its spelling.`;
  throw new RequestRefused(400, 'unknown_field', message, shorten(unknown));
}

function refuseBody(text: string): void {
  if (text === '') return;
  const { error } = Nothing.safeParse(JSON.parse(text));
  if (error) throw explainIssues(error.issues);
}
