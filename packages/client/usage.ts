import type { Usage, UsageRow } from './pawl.ts';
import { type Api, requestJson } from './request-json.ts';

/** `/v1/usage`. */
export function usageOf(api: Api): Usage {
  return {
    get: async ({ from, to, groupBy, ...options } = {}) => {
      const query = { from, to, group_by: groupBy?.join(',') };
      return (await requestJson<{ data: UsageRow[] }>(api, { path: '/v1/usage', query }, options)).data;
    },
  };
}
