import { retryAfterMs } from '../../retry-after.ts';

/** Notes the pause that a 429 or 5xx asks for, since the SDK's errors have no headers. `leftMs` is its rest. */
export function notePauses(fetch: typeof globalThis.fetch): { fetch: typeof globalThis.fetch; leftMs(): number } {
  let until = 0;
  return {
    fetch: async (url, init) => {
      const response = await fetch(url, init);
      const isRefusal = response.status === 429 || response.status >= 500;
      const askedMs = isRefusal ? retryAfterMs(response.headers) : undefined;
      if (askedMs !== undefined) until = performance.now() + askedMs;
      return response;
    },
    leftMs: () => Math.max(0, Math.ceil(until - performance.now())),
  };
}
