/** What the middlewares put beside a request: whose it is. */
export type ApiEnv = { Variables: { project: string } };
