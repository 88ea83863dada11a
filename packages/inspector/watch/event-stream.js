/** @import { ToolCall } from './watched-turn.js' */
import { Refused, send } from '../base/api.js';
import { noteServerTime } from '../base/time.js';

/**
 * An event of a turn; which further fields it has depends on its type (`/openapi.json`). Durable ones are numbered.
 * @typedef {{ type: string, turn_id: string, sequence_number?: number, created_at?: string, round?: number,
 *   attempt?: number, offset?: number, delta?: string, tool_call_id?: string, status_text?: string | null,
 *   value?: unknown, phase?: string, error?: { code: string, message: string } | null, retry_in_ms?: number,
 *   from?: string, to?: string, because?: string,
 *   required_action?: { tool_outputs: ToolCall[], approvals: ToolCall[] } | null,
 *   input?: import('../content/part-view.js').Said[],
 *   before_tokens?: number, after_tokens?: number,
 *   turn?: { error: { code: string, message: string } | null } }} TurnEvent
 */

/** @typedef {{ signal: AbortSignal, receive(event: TurnEvent): void, connected(isSo: boolean): void }} Listener */

const LONGEST_PAUSE_MS = 5_000;

/**
 * Follows a turn from its first event until it has ended. A lost connection is opened again after the last durable
 * event that was received; `connected` is called with its state.
 * @param {string} turnId
 * @param {number} after the number of the last event known, 0 for none
 * @param {Listener} listener
 */
export async function followEvents(turnId, after, { signal, receive, connected }) {
  let last = /** @type {TurnEvent} */ ({ type: '', turn_id: turnId, sequence_number: after });
  let losses = 0;
  while (!signal.aborted) {
    const number = last.sequence_number ?? 0;
    const take = (/** @type {TurnEvent} */ event) => {
      if (event.sequence_number) last = event;
      receive(event);
    };
    const begin = () => {
      losses = 0;
      connected(true);
    };
    const isOver = await receiveEvents({ turnId, after: number, signal }, { begin, take });
    if (isOver) return;
    // An end may be a retried turn's old one: the API says whether anything comes after it.
    if (endsTurn(last) && number < (last.sequence_number ?? 0)) continue;
    connected(false);
    await pause(Math.min(LONGEST_PAUSE_MS, 500 * 2 ** losses), signal);
    losses += 1;
  }
}

/**
 * Receives events until the connection ends; true where no more will come.
 * @param {{ turnId: string, after: number, signal: AbortSignal }} from
 * @param {{ begin(): void, take(event: TurnEvent): void }} listener
 */
async function receiveEvents({ turnId, after, signal }, { begin, take }) {
  try {
    const events = await openEvents(turnId, after, signal);
    begin();
    if (!events) return true;
    for await (const event of events) {
      noteServerTime(event.created_at);
      take(event);
    }
  } catch (error) {
    if (signal.aborted) return true;
    if (error instanceof Refused && error.status >= 400 && error.status < 500) throw error;
  }
  return false;
}

/**
 * Whether no event follows this one, unless the turn is resumed.
 * @param {Pick<TurnEvent, 'type'>} event
 */
export function endsTurn({ type }) {
  return /^turn\.(completed|incomplete|failed|cancelled)$/.test(type);
}

/**
 * @param {string} turnId
 * @param {number} after
 * @param {AbortSignal} signal
 * @returns {Promise<AsyncIterable<TurnEvent> | null>} null where no more will come
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

/** A status that is not tried again: another request would get the same answer. */
const BROKEN = 422;

/**
 * Reads server-sent events from a body, however it is split; each is the JSON of its `data`.
 * Throws where it is none.
 * @template Event
 * @param {ReadableStream<Uint8Array<ArrayBuffer>>} body
 * @returns {AsyncGenerator<Event>}
 */
async function* readSse(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  try {
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
      const blocks = (rest + chunk.value).split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) {
        const data = dataOf(block);
        if (data !== '') yield parse(data);
      }
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

/** @param {string} data */
function parse(data) {
  try {
    return JSON.parse(data);
  } catch {
    throw new Refused(BROKEN, "An event of the stream is no JSON. Is it Pawl's API that answers here, or a proxy?");
  }
}

/** @param {string} block */
function dataOf(block) {
  return block
    .split('\n')
    .filter((line) => line.startsWith('data:'))
    .map((line) => line.slice(5).trimStart())
    .join('\n');
}
