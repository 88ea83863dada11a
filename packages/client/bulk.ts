import type { Bulk, Bulks, CallOptions } from './pawl.ts';
import { type Api, createOnce, requestJson } from './request-json.ts';
import { pause } from './retry.ts';

const PATH = '/v1/bulk';
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 2_000;

export function bulkOf(api: Api): Bulks {
  const retrieve = (id: string, options?: CallOptions) =>
    requestJson<Bulk>(api, { path: `${PATH}/${encodeURIComponent(id)}` }, options);
  return {
    create: (request, options) => createOnce(api, { path: PATH, body: request }, options),
    count: async (request, options) => {
      const body = { ...request, dry_run: true };
      return (await requestJson<{ matched: number }>(api, { method: 'POST', path: PATH, body }, options)).matched;
    },
    retrieve,
    wait: async (id, options = {}) => {
      for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
        const bulk = await retrieve(id, options);
        if (bulk.status === 'completed') return bulk;
        await pause(pauseMs, options.signal);
      }
    },
  };
}
