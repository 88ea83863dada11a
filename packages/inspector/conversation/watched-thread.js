/**
 * @import { ListedTurnResource, TurnResource } from '#core/turn/resource/turn.ts'
 * @import { ConversationResource } from '#core/turn/resource/conversation.ts'
 * @import { Refused } from '../base/api.js'
 * @import { LiveTurn, Round } from '../watch/watched-turn.js'
 */
import { call } from '../base/api.js';
import { keepFresh } from '../base/refresh.js';
import { watchTurn } from '../watch/watched-turn.js';
import { isActive, orderedTurns } from './thread-order.js';

/** @typedef {TurnResource['input']} Input */

/** @typedef {ListedTurnResource} ThreadTurn */

/**
 * One turn of a thread: its rounds once they were read, and what it streams while it runs.
 * @typedef {{ turn: ThreadTurn, rounds: Round[] | null, live: LiveTurn | null }} Item
 */

/**
 * What is known of a conversation, its turns in the order of its history. `cursor` leads to earlier ones.
 * @typedef {{ conversation: ConversationResource | null, items: Item[], cursor: string | null, isRead: boolean,
 *   refused: Refused | null }} Thread
 */

const AGAIN_MS = 2_500;

const PAGE = 15;

/** Bytes of a tool's result that a thread reads; the whole is read on demand. */
const RESULT_BYTES = 4_000;

/** @typedef {{ data: ThreadTurn[], next_cursor: string | null }} Page */

/**
 * Watches a conversation: its newest turns are read again and again, and the one at work is followed as it streams.
 * @param {string} id
 * @param {() => void} changed is called on every change
 */
export function watchThread(id, changed) {
  const known = /** @type {Map<string, ThreadTurn>} */ (new Map());
  const leaving = new AbortController();
  /** @type {Thread} */
  const thread = { conversation: null, items: [], cursor: null, isRead: false, refused: null };
  const details = roundsReader(arrange, leaving.signal);
  const active = activeFollower((turn, rounds) => {
    details.keep(turn, rounds);
    known.set(turn.id, { ...turn, rounds_count: turn.rounds.length });
    if (turn.completed_at !== null) again();
  }, arrange);

  const { again, stop } = keepFresh({
    everyMs: AGAIN_MS,
    read: async (signal) => {
      const [conversation, page] = await Promise.all([readConversation(id, signal), readPage(id, null, signal)]);
      takeNewest(known, page);
      if (!thread.isRead) thread.cursor = page.next_cursor;
      Object.assign(thread, { conversation, isRead: true });
      active.follow([...known.values()]);
    },
    show: (refused) => {
      thread.refused = refused;
      arrange();
    },
  });

  function arrange() {
    thread.items = orderedTurns([...known.values()]).map((turn) => {
      return active.itemOf(turn) ?? { turn, rounds: details.known(turn), live: null };
    });
    changed();
  }
  const readEarlier = async () => {
    const page = await readPage(id, thread.cursor, leaving.signal);
    for (const turn of page.data) known.set(turn.id, turn);
    thread.cursor = page.next_cursor;
    arrange();
  };
  const leave = () => {
    stop();
    active.stop();
    leaving.abort();
  };
  return { thread, again, readEarlier, readRounds: details.read, stop: leave };
}

/**
 * Follows the turn at work alone: browsers open few connections to a host.
 * @param {(turn: TurnResource, rounds: Round[]) => void} moved
 * @param {() => void} changed
 */
function activeFollower(moved, changed) {
  let followed = /** @type {{ id: string, watch: ReturnType<typeof watchTurn> } | null} */ (null);
  const tell = () => {
    const { turn = null, rounds = [] } = followed?.watch.watched ?? {};
    if (turn) moved(turn, rounds);
    changed();
  };
  return {
    follow: (/** @type {ThreadTurn[]} */ turns) => {
      const active = orderedTurns(turns).find(isActive);
      if (active?.id === followed?.id) return;
      followed?.watch.stop();
      followed = active ? { id: active.id, watch: watchTurn(active.id, tell) } : null;
    },
    /** @returns {Item | null} */
    itemOf: (/** @type {ThreadTurn} */ turn) => {
      const { watched } = followed?.watch ?? {};
      return watched?.turn?.id === turn.id ? { turn, rounds: watched.rounds, live: watched.live } : null;
    },
    stop: () => followed?.watch.stop(),
  };
}

/**
 * Reads the rounds of turns on demand, and keeps them until their turn has others.
 * @param {() => void} changed
 * @param {AbortSignal} signal
 */
function roundsReader(changed, signal) {
  const read = /** @type {Map<string, { state: string, rounds: Round[] | null }>} */ (new Map());
  return {
    known: (/** @type {ThreadTurn} */ { id }) => read.get(id)?.rounds ?? null,
    keep: (/** @type {TurnResource} */ { id, status }, /** @type {Round[]} */ rounds) => {
      read.set(id, { state: `${status} ${rounds.length}`, rounds });
    },
    read: async (/** @type {ThreadTurn} */ { id, status, rounds_count: count }) => {
      const state = `${status} ${count}`;
      if (read.get(id)?.state === state) return;
      read.set(id, { state, rounds: read.get(id)?.rounds ?? null });
      const path = `/v1/turns/${id}?max_result_bytes=${RESULT_BYTES}`;
      const { rounds } = /** @type {{ rounds: Round[] }} */ (await call('GET', path, { signal }));
      read.set(id, { state, rounds });
      changed();
    },
  };
}

/**
 * @param {string} id
 * @param {AbortSignal} signal
 * @returns {Promise<ConversationResource>}
 */
function readConversation(id, signal) {
  return call('GET', `/v1/conversations/${encodeURIComponent(id)}`, { signal });
}

/**
 * @param {string} id
 * @param {string | null} cursor
 * @param {AbortSignal} signal
 * @returns {Promise<Page>}
 */
function readPage(id, cursor, signal) {
  const query = new URLSearchParams({ conversation_id: id, limit: String(PAGE), ...(cursor ? { cursor } : {}) });
  return call('GET', `/v1/turns?${query}`, { signal });
}

/**
 * Takes the newest turns as they are; those that are among them no more were deleted.
 * @param {Map<string, ThreadTurn>} known
 * @param {Page} page
 */
function takeNewest(known, { data, next_cursor: next }) {
  const ids = new Set(data.map(({ id }) => id));
  const oldest = next === null ? '' : (data.at(-1)?.created_at ?? '');
  for (const { id, created_at: at } of known.values()) if (at > oldest && !ids.has(id)) known.delete(id);
  for (const turn of data) known.set(turn.id, turn);
}
