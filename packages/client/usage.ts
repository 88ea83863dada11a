import type { Usage } from './pawl.ts';
import { type Api, requestJson } from './request-json.ts';
import type { UsageResource } from './resources/usage.ts';

/** `/v1/usage`. */
export function usageOf(api: Api): Usage {
  return {
    get: async ({ from, to, groupBy, ...options } = {}) => {
      const query = { from, to, group_by: groupBy?.join(',') };
      return (await requestJson<{ data: UsageResource[] }>(api, { path: '/v1/usage', query }, options)).data;
    },
  };
}
