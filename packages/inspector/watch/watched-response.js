/**
 * @import { presentResponse } from '#core/turn/responses/present.ts'
 * @import { TurnResource } from '#core/turn/resource/turn.ts'
 * @import { InputItem } from '../turn/input-view.js'
 */
import { call } from '../base/api.js';

/** @typedef {ReturnType<typeof presentResponse>} ResponseResource */
/** @typedef {{ items: InputItem[], hasMore: boolean }} ResponseInput */
/** @typedef {{ response: ResponseResource | null, responseInput: ResponseInput | null }} WatchedResponse */

const MAX_ITEMS = 100;

/**
 * Reads what a turn is as a response; what cannot have changed since is not read again.
 * @param {TurnResource} turn
 * @param {WatchedResponse} known
 * @param {AbortSignal} signal
 * @returns {Promise<WatchedResponse>}
 */
export async function readResponse({ response_id: id, completed_at: completedAt }, known, signal) {
  if (id === null) return { response: null, responseInput: null };
  const path = `/v1/responses/${id}`;
  const [response, responseInput] = await Promise.all([
    isFresh(known.response, completedAt) ? known.response : call('GET', path, { signal }),
    known.responseInput ?? readInput(path, signal),
  ]);
  return { response: /** @type {ResponseResource} */ (response), responseInput };
}

/**
 * A response is read when it is met first and when it has ended: while it runs, the turn says more.
 * @param {ResponseResource | null} known
 * @param {string | null} completedAt
 */
function isFresh(known, completedAt) {
  return known !== null && (completedAt === null) === (known.usage === null);
}

/**
 * @param {string} path
 * @param {AbortSignal} signal
 * @returns {Promise<ResponseInput>}
 */
async function readInput(path, signal) {
  const query = `order=asc&limit=${MAX_ITEMS}`;
  const { data, has_more: hasMore } = /** @type {{ data: InputItem[], has_more: boolean }} */ (
    await call('GET', `${path}/input_items?${query}`, { signal })
  );
  return { items: data, hasMore };
}
