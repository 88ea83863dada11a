import type { HttpBindings } from '@hono/node-server';
import { OpenAPIHono } from '@hono/zod-openapi';
import { explainIssues } from './issues.ts';

/** A router: its routes check their input by schema and refuse with the contract's envelope. */
export function makeRouter() {
  return new OpenAPIHono<ApiEnv>({
    defaultHook: (result) => {
      if (!result.success) throw explainIssues(result.error.issues);
    },
  });
}

/** A JSON body or answer of one schema, as route definitions want it. */
export function json<Schema>(schema: Schema) {
  return { 'application/json': { schema } };
}

/** What the middlewares add to a request: its project and the id of its key; and Node's request and response. */
export type ApiEnv = { Bindings: HttpBindings; Variables: { project: string; keyId: string | null } };
