import { type Api, ask } from './ask.ts';
import type { ListedTurn, StartedTurn, StartOptions, Turn, TurnRequest, Turns } from './connect-pawl.ts';
import { handleTurn } from './handle-turn.ts';
import { listAll } from './list-all.ts';
import { randomUuid } from './random-uuid.ts';

/** `/v1/turns`. */
export function turnsOf(api: Api): Turns {
  return {
    start: (request, options) => startTurn(api, { path: '/v1/turns', request }, options),
    get: (id, options) => handleTurn(api, id).get(options),
    list: ({ status, conversationId, ...options } = {}) =>
      listAll<ListedTurn>(api, { path: '/v1/turns', query: { status, conversation_id: conversationId } }, options),
    attach: (id) => handleTurn(api, id),
  };
}

/** Starts a turn once, however often it takes to be heard: all tries carry the same Idempotency-Key. */
export async function startTurn(
  api: Api,
  { path, request }: { path: string; request: TurnRequest },
  options: StartOptions = {},
): Promise<StartedTurn> {
  const turn = await ask<Turn>(api, { method: 'POST', path, body: request, headers: await keyOf(options) }, options);
  return startedTurn(api, turn);
}

/** The handle of a turn that was just answered. */
export function startedTurn(api: Api, { id, conversation_id: conversationId }: Turn): StartedTurn {
  return { ...handleTurn(api, id), conversationId };
}

/** The header that makes a creating POST safe to repeat. */
export async function keyOf({ idempotencyKey }: StartOptions): Promise<Record<string, string>> {
  return { 'idempotency-key': idempotencyKey ?? (await randomUuid()) };
}
