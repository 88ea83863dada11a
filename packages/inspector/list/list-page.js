/**
 * @import { ListedTurnResource } from '#core/turn/resource/turn.ts'
 * @import { Part } from '../base/parts.js'
 * @import { Route } from '../route.js'
 */

import { call } from '../base/api.js';
import { element } from '../base/element.js';
import { keepParts, refusedPart } from '../base/parts.js';
import { keepFresh } from '../base/refresh.js';
import { formatAge, formatDateTime, serverNow } from '../base/time.js';
import { roundsOf, statusBadge, titleOf, troubleOf, wordsOf } from '../base/turn-text.js';
import { listHref, queryHref, turnHref } from '../route.js';
import { listFilter, showCounts, statusesOf } from './list-filter.js';

/** @import { TurnCounts } from './list-filter.js' */

/** @typedef {{ data: ListedTurnResource[], next_cursor: string | null }} Page */

const AGAIN_MS = 3_000;

/** How often it is counted how many turns there are of each status. */
const COUNT_MS = 10_000;

/**
 * Shows a list of turns, newest first, and refreshes it while the page is visible.
 * @param {HTMLElement} page
 * @param {Route} route
 * @returns {() => void} leaves the page
 */
export function showList(page, { query }) {
  const leaving = new AbortController();
  const { signal } = leaving;
  const head = { key: 'head', state: query.toString(), make: () => listFilter(query, () => again()) };
  /** @type {Part[]} */
  let found = [];
  document.title = 'Turns · Pawl';
  keepParts(page, [head]);

  const { again, stop } = keepFresh({
    everyMs: AGAIN_MS,
    read: async (signal) => {
      /** @type {Page} */
      const { data, next_cursor: next } = await call('GET', `/v1/turns?${query}`, { signal });
      found = [rowsPart(data, query), pagingPart(query, next)];
    },
    show: (refused) => keepParts(page, [head, ...refusedPart(refused, again), ...found]),
    mayRead: () => found.length > 0,
  });
  const count = async () => {
    /** @type {TurnCounts} */
    const counted = await call('GET', `/v1/statistics/turns?${filterOf(query)}`, { signal });
    const made = page.querySelector('.list-head');
    if (made instanceof HTMLElement) showCounts(made, counted);
  };
  const mayCount = () => void count().catch(() => {});
  const counting = setInterval(
    () => document.visibilityState === 'visible' && found.length > 0 && mayCount(),
    COUNT_MS,
  );
  mayCount();
  return () => {
    stop();
    clearInterval(counting);
    leaving.abort();
  };
}

/**
 * @param {ListedTurnResource[]} turns
 * @param {URLSearchParams} query the filter of the list
 * @returns {Part}
 */
function rowsPart(turns, query) {
  if (turns.length === 0) return { key: 'none', state: query.toString(), make: () => noneView(query) };
  return {
    key: 'rows',
    state: [turns, Math.floor(serverNow() / 1000)],
    make: () => element('ol', { class: 'rows' }),
    refresh: (made) => keepParts(made, turns.map(rowPart)),
  };
}

/**
 * The filters of a list but its statuses.
 * @param {URLSearchParams} query
 */
function filterOf(query) {
  const filter = new URLSearchParams(query);
  for (const name of ['status', 'cursor', 'limit']) filter.delete(name);
  return filter;
}

/** @param {URLSearchParams} query */
function noneView(query) {
  const statuses = statusesOf(query);
  const filters = [...filterOf(query).keys()];
  const isOfConversation = filters.includes('conversation_id');
  const isFiltered = filters.some((name) => name !== 'conversation_id');
  const what = namedTurns(statuses);
  const where = `${isOfConversation ? ' in this conversation' : ''}${isFiltered ? ' that match' : ''}`;
  if (query.has('cursor')) return noneOf(`No older ${what}${where}`);
  return statuses.length > 0 || where !== '' ? noneOf(`No ${what}${where}`) : noneYet();
}

/** @param {string[]} statuses */
function namedTurns(statuses) {
  if (statuses.length === 0) return 'turns';
  if (statuses.length === 1 && statuses[0] === 'requires_action') return 'turns that require action';
  return `${statuses.map((status) => wordsOf(status).toLowerCase()).join(' or ')} turns`;
}

/** @param {string} words */
function noneOf(words) {
  const all = element('a', { class: 'button', href: listHref({}) }, 'Show all turns');
  return element('section', { class: 'none' }, element('h2', {}, words), all);
}

function noneYet() {
  const about = 'A turn is one input and all the work until its answer. Each step of it is kept, whatever happens.';
  return element(
    'section',
    { class: 'none' },
    element('h2', {}, 'No turns here yet'),
    element('p', {}, about),
    element('a', { class: 'button primary', href: '#/new' }, 'Start one'),
  );
}

/**
 * @param {ListedTurnResource} turn
 * @returns {Part}
 */
function rowPart(turn) {
  const age = formatAge(serverNow() - Date.parse(turn.created_at));
  const rounds = roundsOf(turn);
  const trouble = troubleOf(turn);
  const make = () =>
    element(
      'li',
      {},
      element(
        'a',
        { class: 'row', href: turnHref(turn.id), 'data-key': turn.id },
        statusBadge(turn.status),
        element('span', { class: 'title' }, titleOf(turn)),
        trouble && element('span', { class: 'why' }, element('code', {}, trouble.code), ` ${trouble.message}`),
        element('span', { class: 'meta model' }, turn.model),
        element('span', { class: 'meta rounds' }, rounds),
        element('time', { class: 'meta age', datetime: turn.created_at, title: formatDateTime(turn.created_at) }, age),
      ),
    );
  return { key: turn.id, state: [turn.status, turn.model, rounds, age, trouble], make };
}

/**
 * @param {URLSearchParams} query
 * @param {string | null} next
 * @returns {Part}
 */
function pagingPart(query, next) {
  const at = (/** @type {string | null} */ cursor) => {
    const place = new URLSearchParams(query);
    place.delete('cursor');
    if (cursor !== null) place.set('cursor', cursor);
    return queryHref(place);
  };
  const make = () =>
    element(
      'nav',
      { class: 'paging', 'aria-label': 'Pages of the list' },
      query.has('cursor') && element('a', { class: 'button', href: at(null) }, 'Newest'),
      next && element('a', { class: 'button', href: at(next) }, 'Older'),
    );
  return { key: 'paging', state: [query.toString(), next], make };
}
