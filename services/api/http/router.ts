import type { HttpBindings } from '@hono/node-server';
import { createRoute, OpenAPIHono, type RouteConfig, z } from '@hono/zod-openapi';
import type { RequestRefused } from '#core/failure.ts';
import type { Scope } from '../../process/projects/access-keys.ts';
import type { SocketRequest } from '../openai/responses/websocket/socket-request.ts';
import type { ErrorCode } from '../schemas/errors/error-codes.ts';
import { refusals } from '../schemas/errors/refusals.ts';
import type { Form } from './body/read-form.ts';
import { explainIssues } from './issues.ts';
import { servedPath } from './response-base.ts';

/**
 * Makes a router. Its routes check their input by schema, and refuse in the error envelope with the sentences of
 * `explain`. `servedPath` returns the path of each request.
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

/** Combines several routers in this order. */
export function joinRoutes<Context>(...parts: ((context: Context) => object)[]): (context: Context) => Router {
  return (context) => {
    const router = makeRouter();
    // Each part is a router. Its type lists its routes, which are not needed here.
    for (const routesOf of parts) router.route('/', routesOf(context) as Router);
    return router;
  };
}

type Requested = NonNullable<RouteConfig['request']>;

type Operation<Request, Answers> = {
  summary: string;
  description?: string;
  parameters?: NonNullable<RouteConfig['parameters']>;
  request?: Request;
  answers: Answers;
  /** The codes of the route's own refusals, besides those of every route that needs a key. */
  refusals: readonly ErrorCode[];
};

/**
 * Returns the function that defines the routes of one tag: by method, path, name and OpenAPI description.
 * `refusalsOf` describes their refusals.
 */
export function routesOf(tag: string, refusalsOf = refusals) {
  return <Path extends string, Request extends Requested, Answers extends RouteConfig['responses']>(
    method: RouteConfig['method'],
    path: Path,
    operationId: string,
    { request, answers, refusals: codes, ...about }: Operation<Request, Answers>,
  ) => {
    // A route without a body and parameters has no `request`.
    const given = { request } as { request: Request };
    return createRoute({
      ...{ method, path, operationId, tags: [tag], ...about, ...given },
      responses: { ...answers, ...refusalsOf(...codes) },
    });
  };
}

/** Returns a JSON body or answer with one schema, for route definitions. */
export function json<Schema>(schema: Schema) {
  return { 'application/json': { schema } };
}

/** Returns an answer with a JSON body, and with headers if there are any. */
export function jsonAnswer<Schema>(description: string, schema: Schema, headers?: z.ZodRawShape) {
  return { description, content: json(schema), ...(headers && { headers: z.object(headers) }) };
}

/**
 * The values that middlewares add to a request:
 * - its project, the id of its key, and the key's scopes
 * - the function that frees the room of its body, and its form if its path accepts a form
 * - under a base of responses: its own id, and its time by `performance.now()`
 * - Node's request and response, and the request of a WebSocket if it arrived as a message
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
