import { listAll } from '../list-all.ts';
import type { Schedule, Schedules } from '../pawl.ts';
import { type Api, createOnce, requestJson } from '../request-json.ts';

const PATH = '/v1/schedules';
const pathOf = (id: string) => `${PATH}/${encodeURIComponent(id)}`;

export function schedulesOf(api: Api): Schedules {
  return {
    create: (request, options) => createOnce(api, { path: PATH, body: request }, options),
    get: (id, options) => requestJson(api, { path: pathOf(id) }, options),
    list: (options = {}) => listAll<Schedule>(api, { path: PATH }, options),
    // Safe to repeat: a plan counts from the last change.
    update: (id, changes, options) => requestJson(api, { method: 'PATCH', path: pathOf(id), body: changes }, options),
    // Not safe to repeat: if the answer was lost, the schedule is already deleted.
    delete: (id, options) => requestJson(api, { method: 'DELETE', path: pathOf(id) }, { ...options, patienceMs: 0 }),
  };
}
