import type { CallOptions } from './connect-pawl.ts';
import type { ApiRequest, Exchange } from './make-exchange.ts';
import { PATIENCE_MS, tryAgain } from './patience.ts';

/** What every call stands on. */
export type Api = { exchange: Exchange; patienceMs: number | undefined };

/** Asks for JSON, again while the server is away. Whatever is asked so must be safe to repeat. */
export function ask<Answer>(api: Api, request: ApiRequest, options: CallOptions = {}): Promise<Answer> {
  const { signal, patienceMs = api.patienceMs ?? PATIENCE_MS.ask } = options;
  return tryAgain(() => api.exchange({ ...request, signal }, readJson<Answer>), { patienceMs, signal });
}

/** The server's own schema says what it answers; nothing is checked twice. */
async function readJson<Answer>(response: Response): Promise<Answer> {
  return (response.status === 204 ? undefined : await response.json()) as Answer;
}
