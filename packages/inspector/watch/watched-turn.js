/**
 * @import { Refused } from '../base/api.js'
 * @import { ChainResource } from '#core/turn/resource/chain.ts'
 * @import { presentLedger } from '#core/turn/resource/ledger.ts'
 * @import { TurnResource } from '#core/turn/resource/turn.ts'
 * @import { TurnEvent } from './event-stream.js'
 * @import { Conversation } from '../start/turn-request.js'
 * @import { WatchedResponse } from './watched-response.js'
 */
import { asRefused, call } from '../base/api.js';
import { serverNow } from '../base/time.js';
import { waitingOf } from '../turn/waiting-view.js';
import { followEvents } from './event-stream.js';
import { readResponse } from './watched-response.js';

/** @typedef {ReturnType<typeof presentLedger>['rounds'][number]} Round */
/** @typedef {NonNullable<ReturnType<typeof presentLedger>['adopted_calls']>} AdoptedCalls */
/** @typedef {Round['results'][number]} Result */
/** @typedef {Round['tool_calls'][number]} ToolCall */
/** @typedef {{ id: string, type: string, url: string, status: string, attempts: number, last_status_code: number | null,
 *   last_error: string | null, next_attempt_at: string | null, delivered_at: string | null }} Delivery */

/**
 * All that is known of one turn. `turn` is null until it was read; `readError` says why it cannot be read, until it
 * was, and `followError` why its events cannot be, until they are asked for again.
 * @typedef {WatchedResponse & { turn: TurnResource | null, conversation: Conversation | null, chain: ChainResource | null,
 *   adopted: AdoptedCalls | null, rounds: Round[], events: TurnEvent[], deliveries: Delivery[], live: LiveTurn,
 *   isConnected: boolean, readError: Refused | null, followError: Refused | null }} Watched
 */

/** @type {LiveTurn} */
const NOTHING_LIVE = { round: 0, attempt: 0, text: '', reasoning: '', calls: {} };

const NOTHING_KNOWN = {
  ...{
    turn: null,
    conversation: null,
    chain: null,
    adopted: null,
    rounds: [],
    deliveries: [],
    response: null,
    responseInput: null,
  },
  ...{ live: NOTHING_LIVE, isConnected: true, readError: null, followError: null },
};

const READ_AGAIN_MS = 3_000;

/** How soon unstarted calls are read again: their start is a live event, which may be missed. */
const CALLS_AGAIN_MS = 1_000;

/** How soon it is looked again what stands on the turn: no event of it says so. */
const CHAIN_AGAIN_MS = 5_000;

/**
 * Watches a turn: durable state is read when its event comes, live events are applied as they come.
 * @param {string} id
 * @param {() => void} changed is called on every change
 */
export function watchTurn(id, changed) {
  /** @type {Watched} */
  const watched = { ...NOTHING_KNOWN, events: [] };
  const leaving = new AbortController();
  const { signal } = leaving;
  const read = oneAtATime(() => readAll(id, watched, signal).then(changed, keepError('readError')));
  // A chain that could not be read again is shown as it was.
  const readAround = oneAtATime(() => readChain(id, watched, signal).then(changed, () => {}));
  const stopReading = readRepeatedly(watched, { read, readAround });
  let isFollowing = false;

  /** @param {'readError' | 'followError'} what */
  function keepError(what) {
    return (/** @type {unknown} */ error) => {
      if (signal.aborted) return;
      watched[what] = asRefused(error);
      changed();
    };
  }

  /** @param {TurnEvent} event */
  function receive(event) {
    if (event.sequence_number) {
      watched.events.push(event);
      if (event.sequence_number > (watched.turn?.last_event ?? 0)) read();
    } else watched.live = addLiveEvent(watched.live, event, serverNow());
    changed();
  }

  function follow() {
    if (isFollowing) return;
    isFollowing = true;
    const connected = (/** @type {boolean} */ isSo) => {
      watched.isConnected = isSo;
      changed();
    };
    followEvents(id, watched.events.length, { signal, receive, connected })
      .catch(keepError('followError'))
      .finally(() => {
        isFollowing = false;
      });
  }

  function refresh() {
    Object.assign(watched, { readError: null, followError: null });
    read();
    follow();
  }
  refresh();
  return {
    watched,
    /** Reads everything again, and follows a turn that goes on. */
    refresh,
    stop: () => {
      stopReading();
      leaving.abort();
    },
  };
}

/**
 * @param {string} id
 * @param {Watched} watched
 * @param {AbortSignal} signal
 */
async function readAll(id, watched, signal) {
  const path = `/v1/turns/${encodeURIComponent(id)}`;
  // First: its last event says what need not be read again, so that nothing else may be older.
  const turn = /** @type {TurnResource} */ (await call('GET', path, { signal }));
  const [rounds, deliveries] = await Promise.all([
    /** @type {Promise<{ data: Round[], adopted_calls?: AdoptedCalls }>} */ (call('GET', `${path}/rounds`, { signal })),
    /** @type {Promise<{ data: Delivery[] }>} */ (call('GET', `${path}/deliveries`, { signal })),
  ]);
  const of = `/v1/conversations/${turn.conversation_id}`;
  const conversation = watched.conversation ?? /** @type {Conversation} */ (await call('GET', of, { signal }));
  const [response] = await Promise.all([readResponse(turn, watched, signal), readChain(id, watched, signal)]);
  const lists = { adopted: rounds.adopted_calls ?? null, rounds: rounds.data, deliveries: deliveries.data };
  Object.assign(watched, { turn, conversation, ...response, ...lists, readError: null });
}

/**
 * @param {string} id
 * @param {Watched} watched
 * @param {AbortSignal} signal
 */
async function readChain(id, watched, signal) {
  watched.chain = await call('GET', `/v1/turns/${encodeURIComponent(id)}/chain`, { signal });
}

/**
 * Reads at intervals what no event announces, until the returned function is called.
 * @param {Watched} watched
 * @param {{ read: () => unknown, readAround: () => unknown }} readers
 */
function readRepeatedly(watched, { read, readAround }) {
  const timers = [
    setInterval(() => (hasPendingDelivery(watched) || isWaiting(watched)) && read(), READ_AGAIN_MS),
    setInterval(() => hasUnstartedCall(watched) && read(), CALLS_AGAIN_MS),
    setInterval(() => watched.chain && document.visibilityState === 'visible' && readAround(), CHAIN_AGAIN_MS),
  ];
  return () => timers.forEach((timer) => void clearInterval(timer));
}

/** @param {Watched} watched */
function hasPendingDelivery({ deliveries }) {
  return deliveries.some(({ status }) => status === 'pending');
}

/**
 * Whether a turn waits: no event announces when the reason for that changes.
 * @param {Watched} watched
 */
function isWaiting({ turn }) {
  return turn !== null && turn.completed_at === null && (turn.status === 'queued' || waitingOf(turn) !== null);
}

/**
 * Whether a call waits for a worker alone, as far as is known here.
 * @param {Watched} watched
 */
function hasUnstartedCall({ turn, adopted, rounds, live }) {
  if (turn?.status !== 'in_progress' || turn.phase !== 'tool_batch') return false;
  const results = (rounds.at(-1) ?? adopted)?.results ?? [];
  return results.some(({ status, waits_for: whom, approval, tool_call_id: id }) => {
    return status === 'pending' && (whom === null || approval !== null) && !live.calls[id];
  });
}

/**
 * Runs `work` when called, never twice at a time; calls while it runs make it run once more after.
 * @param {() => Promise<void>} work
 */
function oneAtATime(work) {
  let isRunning = false;
  let isRequested = false;
  return async () => {
    isRequested = true;
    if (isRunning) return;
    isRunning = true;
    while (isRequested) {
      isRequested = false;
      await work();
    }
    isRunning = false;
  };
}

/**
 * What is in flight and not committed: the text of the running round, and the progress of running tools.
 * @typedef {{ round: number, attempt: number, text: string, reasoning: string,
 *   calls: Record<string, LiveCall> }} LiveTurn
 */

/** @typedef {{ startedAt: string, statusText: string | null, progress: unknown }} LiveCall */

/**
 * The live state after one more live event. A new attempt begins from nothing; an old one is ignored.
 * @param {LiveTurn} live
 * @param {TurnEvent} event
 * @param {number} now in ms since 1970
 * @returns {LiveTurn}
 */
function addLiveEvent(live, event, now) {
  if (event.tool_call_id) return addCallEvent(live, event, { id: event.tool_call_id, now });
  const { round = 0, attempt = 0, offset = 0, delta = '' } = event;
  const order = round - live.round || attempt - live.attempt;
  if (attempt === 0 || order < 0) return live;
  const current = order > 0 ? { ...NOTHING_LIVE, calls: live.calls, round, attempt } : live;
  if (event.type === 'output_text.delta') return { ...current, text: current.text.slice(0, offset) + delta };
  if (event.type === 'reasoning.delta') return { ...current, reasoning: current.reasoning.slice(0, offset) + delta };
  return current;
}

/**
 * @param {LiveTurn} live
 * @param {TurnEvent} event
 * @param {{ id: string, now: number }} at
 * @returns {LiveTurn}
 */
function addCallEvent(live, { type, status_text: statusText = null, value = null }, { id, now }) {
  const started = { startedAt: new Date(now).toISOString(), statusText, progress: null };
  const isProgress = type === 'tool_call.progress';
  const call = isProgress ? { ...(live.calls[id] ?? started), progress: value } : started;
  return { ...live, calls: { ...live.calls, [id]: call } };
}
