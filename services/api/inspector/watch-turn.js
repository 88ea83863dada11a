/**
 * @import { TurnResource } from '#core/turn/present-turn.ts'
 * @import { presentLedger } from '#core/turn/present-ledger.ts'
 * @import { TurnEvent } from './follow-events.js'
 * @import { LiveTurn } from './live-turn.js'
 * @import { Conversation } from './request-of.js'
 */
import { call, Refused } from './api.js';
import { serverNow } from './clock.js';
import { followEvents } from './follow-events.js';
import { hearLive, NOTHING_LIVE } from './live-turn.js';
import { waitingOf } from './waiting-view.js';

/** @typedef {ReturnType<typeof presentLedger>[number]} Round */
/** @typedef {Round['results'][number]} Result */
/** @typedef {Round['tool_calls'][number]} ToolCall */
/** @typedef {{ id: string, type: string, url: string, status: string, attempts: number, last_status_code: number | null,
 *   last_error: string | null, next_attempt_at: string | null, delivered_at: string | null }} Delivery */

/**
 * All that is known of one turn. `turn` is null until it was read; `refused` says why it cannot be.
 * @typedef {{ turn: TurnResource | null, conversation: Conversation | null, rounds: Round[], events: TurnEvent[], deliveries: Delivery[], live: LiveTurn,
 *   isConnected: boolean, refused: Refused | null }} Watched
 */

const SLOWLY_AGAIN_MS = 3_000;

/** How soon calls are read again that nobody was on: whoever missed their start would not hear of it. */
const CALLS_AGAIN_MS = 1_000;

/**
 * Watches a turn: what is committed is read when its event comes, what is not is heard as it happens.
 * @param {string} id
 * @param {() => void} changed is told of every change
 */
export function watchTurn(id, changed) {
  /** @type {Watched} */
  const watched = {
    ...{ turn: null, conversation: null, rounds: [], events: [], deliveries: [] },
    ...{ live: NOTHING_LIVE, isConnected: true, refused: null },
  };
  const leaving = new AbortController();
  const { signal } = leaving;
  const read = oneAtATime(() => readAll(id, watched, signal).then(changed, refuse));
  const stopReading = readAgain(watched, read);
  let isFollowing = false;

  /** @param {unknown} error */
  function refuse(error) {
    if (signal.aborted) return;
    watched.refused = error instanceof Refused ? error : new Refused(0, String(error));
    changed();
  }

  /** @param {TurnEvent} event */
  function hear(event) {
    if (event.sequence_number) {
      watched.events.push(event);
      if (event.sequence_number > (watched.turn?.last_event ?? 0)) read();
    } else watched.live = hearLive(watched.live, event, serverNow());
    changed();
  }

  function follow() {
    if (isFollowing) return;
    isFollowing = true;
    const connected = (/** @type {boolean} */ isSo) => {
      watched.isConnected = isSo;
      changed();
    };
    followEvents(id, watched.events.length, { signal, hear, connected })
      .catch(refuse)
      .finally(() => {
        isFollowing = false;
      });
  }

  function refresh() {
    watched.refused = null;
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
    /** @type {Promise<{ data: Round[] }>} */ (call('GET', `${path}/rounds`, { signal })),
    /** @type {Promise<{ data: Delivery[] }>} */ (call('GET', `${path}/deliveries`, { signal })),
  ]);
  const of = `/v1/conversations/${turn.conversation_id}`;
  const conversation = watched.conversation ?? /** @type {Conversation} */ (await call('GET', of, { signal }));
  Object.assign(watched, { turn, conversation, rounds: rounds.data, deliveries: deliveries.data, refused: null });
}

/**
 * Reads again and again what no event tells of, until the returned function is called.
 * @param {Watched} watched
 * @param {() => unknown} read
 */
function readAgain(watched, read) {
  const alarms = [
    setInterval(() => (owesDelivery(watched) || standsStill(watched)) && read(), SLOWLY_AGAIN_MS),
    setInterval(() => owesCall(watched) && read(), CALLS_AGAIN_MS),
  ];
  return () => alarms.forEach((alarm) => void clearInterval(alarm));
}

/** @param {Watched} watched */
function owesDelivery({ deliveries }) {
  return deliveries.some(({ status }) => status === 'pending');
}

/**
 * Whether a turn waits for something of which no event tells: it may wait for something else by now.
 * @param {Watched} watched
 */
function standsStill({ turn }) {
  return turn !== null && turn.completed_at === null && (turn.status === 'queued' || waitingOf(turn) !== null);
}

/**
 * Whether a call waits for a worker and for nobody else, as far as was read and heard.
 * @param {Watched} watched
 */
function owesCall({ turn, rounds, live }) {
  if (turn?.status !== 'in_progress' || turn.phase !== 'tool_batch') return false;
  const results = rounds.at(-1)?.results ?? [];
  return results.some(({ status, waits_for: whom, approval, tool_call_id: id }) => {
    return status === 'pending' && (whom === null || approval !== null) && !live.calls[id];
  });
}

/**
 * Runs `work` when asked; whoever asks while it runs has it run once more.
 * @param {() => Promise<void>} work
 */
function oneAtATime(work) {
  let isRunning = false;
  let isWanted = false;
  return async () => {
    isWanted = true;
    if (isRunning) return;
    isRunning = true;
    while (isWanted) {
      isWanted = false;
      await work();
    }
    isRunning = false;
  };
}
