import { readItemId } from '#core/turn/responses/item-id.ts';
import type { PlacedItem } from '../request/read-input.ts';
import type { ReadRequest, TurnStarted } from '../request/read-request.ts';
import type { KeptResponse } from './kept-responses.ts';

/**
 * A create request that arrived as a message of a WebSocket: its clean body without the fields of messages, and the
 * bytes of the message.
 * - `isWarmUp`: no model is asked (`generate: false`).
 * - `kept`: the unstored response of this connection that the request follows.
 * - `started`: called with the turn.
 */
export type SocketRequest = {
  body: unknown;
  bytes: number;
  isWarmUp: boolean;
  kept: KeptResponse | undefined;
  started: TurnStarted;
};

/** Adds the kept items and `generate: false` to a create request. */
export function asSocketRequest(request: ReadRequest, socket: SocketRequest | undefined): ReadRequest {
  if (!socket) return request;
  const { kept, isWarmUp } = socket;
  if (!kept) return { ...request, isWarmUp };
  const own = request.input.filter((placed) => !isKeptReference(placed, kept));
  const follows = { previousResponseId: null, conversationId: null, follows: kept.follows };
  return { ...request, isWarmUp, ...follows, input: [...kept.input, ...own] };
}

/** Returns whether an item refers to an item of the kept responses. The input has that item already. */
function isKeptReference({ item }: PlacedItem, { turnIds }: KeptResponse): boolean {
  if (!('type' in item) || item.type !== 'item_reference' || item.call) return false;
  const named = readItemId(item.id);
  return named !== undefined && turnIds.includes(named.turnId);
}
