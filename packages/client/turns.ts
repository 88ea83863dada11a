import { handleTurn } from './handle-turn.ts';
import { listAll, searchQuery } from './list-all.ts';
import type { ListedTurn, ReadOptions, StartedTurn, StartOptions, Turn, Turns } from './pawl.ts';
import { type Api, createOnce } from './request-json.ts';

export function turnsOf(api: Api): Turns {
  return {
    start: (request, options) => startTurn(api, { path: '/v1/turns', request }, options),
    get: (id: string, options?: ReadOptions) => handleTurn(api, id).get(options as ReadOptions & { include: 'config' }),
    list: ({ status, agent, conversationId, errorCode, ...filter } = {}) => {
      const { query, options } = searchQuery(filter);
      const own = {
        status: status && [status].flat().join(','),
        conversation_id: conversationId,
        agent,
        error_code: errorCode,
      };
      return listAll<ListedTurn>(api, { path: '/v1/turns', query: { ...query, ...own } }, options);
    },
    attach: (id) => handleTurn(api, id),
    addInput: (id, input, options) => handleTurn(api, id).addInput(input, options),
    fork: (id, request = {}, options) =>
      startTurn(api, { path: `/v1/turns/${encodeURIComponent(id)}/fork`, request }, options),
    rerun: (id, request = {}, options) =>
      startTurn(api, { path: `/v1/turns/${encodeURIComponent(id)}/rerun`, request }, options),
    delete: (id, options) => handleTurn(api, id).delete(options),
  };
}

export async function startTurn(
  api: Api,
  { path, request }: { path: string; request: object },
  options: StartOptions = {},
): Promise<StartedTurn> {
  return startedTurn(api, await createOnce<Turn>(api, { path, body: request }, options));
}

/** Returns the handle of a turn that the server has just started. */
export function startedTurn(api: Api, { id, conversation_id: conversationId }: Turn): StartedTurn {
  return { ...handleTurn(api, id), conversationId };
}
