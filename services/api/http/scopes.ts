import type { Context } from 'hono';
import { createMiddleware } from 'hono/factory';
import { RequestRefused } from '#core/failure.ts';
import type { Scope } from '../../process/projects/access-keys.ts';
import type { ApiEnv } from './router.ts';
import { matchedRoute } from './unknown-route.ts';

/** The routes that need another scope than their method says, as `/openapi.json` writes them. */
const OTHERWISE: Record<string, Scope> = {
  'POST /v1/turns/{id}/approvals': 'approve',
  'GET /v1/webhook_secret': 'write',
  'GET /v1/webhook_endpoints/{id}/secret': 'write',
  'GET /v1/workers': 'admin',
  'GET /v1/queues': 'admin',
  'GET /metrics': 'admin',
};

/** The scope that a key needs for a route: to read is `read`, all else `write`, but for the routes named above. */
export function scopeOf(method: string, path: string): Scope {
  return OTHERWISE[`${method.toUpperCase()} ${path}`] ?? (method.toUpperCase() === 'GET' ? 'read' : 'write');
}

/** Whether a key with these scopes may do what needs `scope`. */
export function hasScope(scopes: readonly Scope[], scope: Scope): boolean {
  return scopes.includes(scope) || scopes.includes('admin');
}

/** Refuses a request whose key has not the scope; `param` is the field that needs it, where the route alone does not. */
export function requireScope(c: Context<ApiEnv>, scope: Scope, param: string | null = null): void {
  if (!hasScope(c.get('scopes'), scope)) throw insufficientScope(scope, param);
}

/** The refusal of what needs a scope that the key has not. */
export function insufficientScope(scope: Scope, param: string | null): RequestRefused {
  const message = `This needs a key with the scope ${scope}. Use another one, or ask the operator.`;
  return new RequestRefused(403, 'insufficient_scope', message, param);
}

/** Refuses what the key may not do, by the scope of the route that the request takes. */
export const checkScope = createMiddleware<ApiEnv>(async (c, next) => {
  const route = matchedRoute(c);
  if (route) requireScope(c, scopeOf(route.method, route.path.replaceAll(/:(\w+)/g, '{$1}')));
  await next();
});
