import { OpenAPIHono } from '@hono/zod-openapi';
import type { ApiEnv } from './api-env.ts';
import { explainIssues } from './explain-issues.ts';

/** A router whose routes check their input by schema and refuse with the contract's envelope. */
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
