import { listAll } from '../list-all.ts';
import type { Agent, Agents } from '../pawl.ts';
import { type Api, createOnce, requestJson } from '../request-json.ts';

const PATH = '/v1/agents';
const pathOf = (idOrName: string) => `${PATH}/${encodeURIComponent(idOrName)}`;
const labelOf = (idOrName: string, label: string) => `${pathOf(idOrName)}/labels/${encodeURIComponent(label)}`;

/** Returns the functions of `pawl.agents`. */
export function agentsOf(api: Api): Agents {
  return {
    create: (request, options) => createOnce(api, { path: PATH, body: request }, options),
    get: (idOrName, { version, ...options } = {}) =>
      requestJson(api, { path: pathOf(idOrName), query: { version } }, options),
    list: (options = {}) => listAll<Agent>(api, { path: PATH }, options),
    // Not safe to repeat: each request creates a version.
    change: (idOrName, changes, options) =>
      requestJson(api, { method: 'PATCH', path: pathOf(idOrName), body: changes }, { ...options, patienceMs: 0 }),
    versions: (idOrName, options = {}) => listAll<Agent>(api, { path: `${pathOf(idOrName)}/versions` }, options),
    // Safe to repeat: the label gets the same target.
    setLabel: (idOrName, label, target, options) =>
      requestJson(api, { method: 'PUT', path: labelOf(idOrName, label), body: target }, options),
    // Not safe to repeat: if the answer was lost, the label or the agent is already deleted.
    deleteLabel: (idOrName, label, options) =>
      requestJson(api, { method: 'DELETE', path: labelOf(idOrName, label) }, { ...options, patienceMs: 0 }),
    delete: (idOrName, options) =>
      requestJson(api, { method: 'DELETE', path: pathOf(idOrName) }, { ...options, patienceMs: 0 }),
  };
}
