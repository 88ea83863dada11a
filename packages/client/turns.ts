import { handleTurn } from './handle-turn.ts';
import { listAll } from './list-all.ts';
import type { ListedTurn, StartedTurn, StartOptions, Turn, TurnRequest, Turns } from './pawl.ts';
import { type Api, requestJson } from './request-json.ts';
import { webCrypto } from './web-crypto.ts';

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

/** Starts a turn once, however often the request is repeated: all attempts carry the same Idempotency-Key. */
export async function startTurn(
  api: Api,
  { path, request }: { path: string; request: TurnRequest },
  options: StartOptions = {},
): Promise<StartedTurn> {
  const turn = await requestJson<Turn>(
    api,
    { method: 'POST', path, body: request, headers: await keyOf(options) },
    options,
  );
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

/** A UUID of version 4. Pages loaded over plain http have no `crypto.randomUUID`. */
async function randomUuid(): Promise<string> {
  const bytes = (await webCrypto()).getRandomValues(new Uint8Array(16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
