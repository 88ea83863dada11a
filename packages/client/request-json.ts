import type { ApiRequest, Exchange } from './exchange.ts';
import type { CallOptions } from './pawl.ts';
import { RETRY_FOR_MS, retryTransient } from './retry.ts';

/** What every call needs. */
export type Api = { exchange: Exchange; patienceMs: number | undefined };

/** Makes a request for JSON, and repeats it while the server is away. The request must be safe to repeat. */
export function requestJson<Answer>(api: Api, request: ApiRequest, options: CallOptions = {}): Promise<Answer> {
  const { signal, patienceMs = api.patienceMs ?? RETRY_FOR_MS.request } = options;
  return retryTransient(() => api.exchange({ ...request, signal }, readJson<Answer>), { patienceMs, signal });
}

/** The server answers by its schema, so the answer is not checked again. */
async function readJson<Answer>(response: Response): Promise<Answer> {
  return (response.status === 204 ? undefined : await response.json()) as Answer;
}
