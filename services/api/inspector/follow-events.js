/** @import { ToolCall } from './watch-turn.js' */
import { Refused, send } from './api.js';
import { hearTime } from './clock.js';
import { readSse } from './read-sse.js';

/**
 * An event of a turn; which further fields it has depends on its type (`/openapi.json`). Durable ones are numbered.
 * @typedef {{ type: string, turn_id: string, sequence_number?: number, created_at?: string, round?: number,
 *   attempt?: number, offset?: number, delta?: string, tool_call_id?: string, status_text?: string | null,
 *   value?: unknown, phase?: string, error?: { code: string, message: string } | null, retry_in_ms?: number,
 *   required_action?: { tool_outputs: ToolCall[], approvals: ToolCall[] } | null,
 *   turn?: { error: { code: string, message: string } | null } }} TurnEvent
 */

/** @typedef {{ signal: AbortSignal, hear(event: TurnEvent): void, connected(isSo: boolean): void }} Listener */

const LONGEST_PAUSE_MS = 5_000;

/**
 * Follows a turn from its first event until it has ended. A connection that drops is taken up again after the last
 * durable event that was heard; `connected` is told how it is.
 * @param {string} turnId
 * @param {number} after the number of the last event known, 0 for none
 * @param {Listener} listener
 */
export async function followEvents(turnId, after, { signal, hear, connected }) {
  let last = /** @type {TurnEvent} */ ({ type: '', turn_id: turnId, sequence_number: after });
  let losses = 0;
  while (!signal.aborted) {
    const number = last.sequence_number ?? 0;
    const take = (/** @type {TurnEvent} */ event) => {
      if (event.sequence_number) last = event;
      hear(event);
    };
    const begin = () => {
      losses = 0;
      connected(true);
    };
    const isOver = await hearEvents({ turnId, after: number, signal }, { begin, take });
    if (isOver) return;
    // An end may be a retried turn's old one: the API says whether anything comes after it.
    if (endsTurn(last) && number < (last.sequence_number ?? 0)) continue;
    connected(false);
    await pause(Math.min(LONGEST_PAUSE_MS, 500 * 2 ** losses), signal);
    losses += 1;
  }
}

/**
 * Hears events until the connection ends; true where nothing comes any more.
 * @param {{ turnId: string, after: number, signal: AbortSignal }} from
 * @param {{ begin(): void, take(event: TurnEvent): void }} listener
 */
async function hearEvents({ turnId, after, signal }, { begin, take }) {
  try {
    const events = await openEvents(turnId, after, signal);
    begin();
    if (!events) return true;
    for await (const event of events) {
      hearTime(event.created_at);
      take(event);
    }
  } catch (error) {
    if (signal.aborted) return true;
    if (error instanceof Refused && error.status >= 400 && error.status < 500) throw error;
  }
  return false;
}

/**
 * Whether nothing comes after an event, unless the turn is taken up again.
 * @param {Pick<TurnEvent, 'type'>} event
 */
export function endsTurn({ type }) {
  return /^turn\.(completed|incomplete|failed|cancelled)$/.test(type);
}

/**
 * @param {string} turnId
 * @param {number} after
 * @param {AbortSignal} signal
 * @returns {Promise<AsyncIterable<TurnEvent> | null>} null where nothing comes any more
 */
async function openEvents(turnId, after, signal) {
  const headers = { accept: 'text/event-stream', 'last-event-id': String(after) };
  const response = await send('GET', `/v1/turns/${encodeURIComponent(turnId)}/events`, { headers, signal });
  return response.body && response.status !== 204 ? readSse(response.body) : null;
}

/**
 * @param {number} ms
 * @param {AbortSignal} signal
 * @returns {Promise<void>}
 */
function pause(ms, signal) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
