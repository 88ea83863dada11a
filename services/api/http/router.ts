import type { HttpBindings } from '@hono/node-server';
import { OpenAPIHono, type z } from '@hono/zod-openapi';
import type { RequestRefused } from '#core/failure.ts';
import type { Scope } from '../../process/projects/access-keys.ts';
import type { SocketRequest } from '../openai/responses/websocket/socket-request.ts';
import type { Form } from './body/read-form.ts';
import { explainIssues } from './issues.ts';
import { servedPath } from './response-base.ts';

/**
 * Makes a router. Its routes check their input by schema and refuse with the contract's envelope, as `explain` words
 * it. `servedPath` names the path of each request.
 */
export function makeRouter(explain: (issues: z.core.$ZodIssue[]) => RequestRefused = explainIssues) {
  return new OpenAPIHono<ApiEnv>({
    getPath: servedPath,
    defaultHook: (result) => {
      if (!result.success) throw explain(result.error.issues);
    },
  });
}

type Router = ReturnType<typeof makeRouter>;

/** Makes one router of several, in this order. */
export function joinRoutes<Context>(...parts: ((context: Context) => object)[]): (context: Context) => Router {
  return (context) => {
    const router = makeRouter();
    // Each part is a router; its type lists its routes, which no one needs here.
    for (const routesOf of parts) router.route('/', routesOf(context) as Router);
    return router;
  };
}

/** A JSON body or answer of one schema, as route definitions want it. */
export function json<Schema>(schema: Schema) {
  return { 'application/json': { schema } };
}

/**
 * The values that middlewares add to a request: its project, the id of its key and the scopes of that; the function
 * that frees the room of its body; its form, if its path takes one; under a base of responses, its own id and its
 * time, by `performance.now()`; and Node's request and response, with the request of a WebSocket if it came as a
 * message.
 */
export type ApiEnv = {
  Bindings: HttpBindings & { socket?: SocketRequest };
  Variables: {
    project: string;
    keyId: string | null;
    scopes: readonly Scope[];
    releaseBody: () => void;
    form: Form;
    received: { requestId: string; startedAt: number };
  };
};
