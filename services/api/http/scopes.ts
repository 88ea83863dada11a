import type { Context } from 'hono';
import { createMiddleware } from 'hono/factory';
import { RequestRefused } from '#core/failure.ts';
import type { Scope } from '../../process/projects/access-keys.ts';
import type { ApiEnv } from './router.ts';
import { matchedRoute } from './unknown-route.ts';

/** The routes with another scope than their method implies, as `/openapi.json` writes them. */
const OTHERWISE: Record<string, Scope> = {
  'POST /v1/turns/{id}/approvals': 'approve',
  'GET /v1/webhook_secret': 'write',
  'GET /v1/webhook_endpoints/{id}/secret': 'write',
  'GET /v1/workers': 'admin',
  'GET /v1/queues': 'admin',
  'GET /v1/batches': 'admin',
  'GET /metrics': 'admin',
};

/** Returns the scope for a route: `read` for reads, and `write` for the rest, except the routes named above. */
export function scopeOf(method: string, path: string): Scope {
  return OTHERWISE[`${method.toUpperCase()} ${path}`] ?? (method.toUpperCase() === 'GET' ? 'read' : 'write');
}

/** Returns whether a key with these scopes satisfies `scope`. */
export function hasScope(scopes: readonly Scope[], scope: Scope): boolean {
  return scopes.includes(scope) || scopes.includes('admin');
}

/**
 * Refuses a request if its key does not have the scope. `param` is the field that requires the scope, if the route
 * does not.
 */
export function requireScope(c: Context<ApiEnv>, scope: Scope, param: string | null = null): void {
  if (!hasScope(c.get('scopes'), scope)) throw insufficientScope(scope, param);
}

/** Returns the refusal for a missing scope. */
export function insufficientScope(scope: Scope, param: string | null): RequestRefused {
  const message = `This request requires a key with the scope ${scope}. Use another key, or ask the operator.`;
  return new RequestRefused(403, 'insufficient_scope', message, param);
}

/** Refuses a request if its key does not have the scope of the route. */
export const checkScope = createMiddleware<ApiEnv>(async (c, next) => {
  const route = matchedRoute(c);
  if (route) requireScope(c, scopeOf(route.method, route.path.replaceAll(/:(\w+)/g, '{$1}')));
  await next();
});
