/**
 * @import { ConversationResource } from '#core/turn/resource/conversation.ts'
 * @import { ListedTurnResource } from '#core/turn/resource/turn.ts'
 * @import { Part } from '../base/parts.js'
 * @import { Route } from '../route.js'
 */
import { call } from '../base/api.js';
import { element } from '../base/element.js';
import { keepParts, refusedPart } from '../base/parts.js';
import { keepFresh } from '../base/refresh.js';
import { formatAge, formatDateTime, serverNow } from '../base/time.js';
import { statusBadge, titleOf } from '../base/turn-text.js';
import { conversationHref, conversationsHref } from '../route.js';

/** @typedef {ConversationResource & { latest_turn: ListedTurnResource | null }} Listed */

const AGAIN_MS = 5_000;

/**
 * Shows conversations, newest first, each with what was asked there last.
 * @param {HTMLElement} page
 * @param {Route} route
 * @returns {() => void} leaves the page
 */
export function showConversations(page, { query }) {
  const cursor = query.get('cursor');
  /** @type {Part[]} */
  let found = [];
  document.title = 'Conversations · Pawl';
  const head = { key: 'head', state: null, make: () => element('h1', {}, 'Conversations') };

  const { again, stop } = keepFresh({
    everyMs: AGAIN_MS,
    read: async (signal) => {
      const query = new URLSearchParams({ include: 'latest_turn', ...(cursor ? { cursor } : {}) });
      /** @type {{ data: Listed[], next_cursor: string | null }} */
      const { data, next_cursor: next } = await call('GET', `/v1/conversations?${query}`, { signal });
      found = [rowsPart(data), pagingPart(cursor, next)];
    },
    show: (refused) => keepParts(page, [head, ...refusedPart(refused, again), ...found]),
  });
  return stop;
}

/**
 * @param {Listed[]} listed
 * @returns {Part}
 */
function rowsPart(listed) {
  if (listed.length === 0) return { key: 'none', state: null, make: noneView };
  return {
    key: 'rows',
    state: [listed, Math.floor(serverNow() / 1000)],
    make: () => element('ol', { class: 'rows' }),
    refresh: (made) => keepParts(made, listed.map(rowPart)),
  };
}

function noneView() {
  return element(
    'section',
    { class: 'none' },
    element('h2', {}, 'No conversations here yet'),
    element('p', {}, 'Each turn is one of a conversation, also the first.'),
    element('a', { class: 'button primary', href: '#/new' }, 'Start one'),
  );
}

/**
 * @param {Listed} listed
 * @returns {Part}
 */
function rowPart({ id, created_at: createdAt, latest_turn: latest }) {
  const at = latest?.created_at ?? createdAt;
  const age = formatAge(serverNow() - Date.parse(at));
  const make = () =>
    element(
      'li',
      {},
      element(
        'a',
        { class: 'row', href: conversationHref(id), 'data-key': id },
        latest ? statusBadge(latest.status) : element('span', { class: 'meta' }, 'No turns'),
        element('span', { class: 'title' }, latest ? titleOf(latest) : id),
        element('span', { class: 'meta model' }, latest?.model),
        element('span', { class: 'meta rounds' }),
        element('time', { class: 'meta age', datetime: at, title: formatDateTime(at) }, age),
      ),
    );
  return { key: id, state: [latest?.id, latest?.status, age], make };
}

/**
 * @param {string | null} cursor
 * @param {string | null} next
 * @returns {Part}
 */
function pagingPart(cursor, next) {
  const make = () =>
    element(
      'nav',
      { class: 'paging', 'aria-label': 'Pages of the list' },
      cursor && element('a', { class: 'button', href: conversationsHref(null) }, 'Newest'),
      next && element('a', { class: 'button', href: conversationsHref(next) }, 'Older'),
    );
  return { key: 'paging', state: [cursor, next], make };
}
