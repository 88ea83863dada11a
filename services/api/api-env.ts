import type { HttpBindings } from '@hono/node-server';

/** What the middlewares put beside a request, whose it is and with which key they came; and the sockets below it. */
export type ApiEnv = { Bindings: HttpBindings; Variables: { project: string; keyId: string | null } };
