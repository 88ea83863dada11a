/**
 * @import { ListedTurnResource } from '#core/turn/resource/turn.ts'
 * @import { Part } from './parts.js'
 * @import { Route } from './route.js'
 */
import { call, Refused } from './api.js';
import { element } from './element.js';
import { keepParts, refusedPart } from './parts.js';
import { listHref, turnHref, turnIdOf } from './route.js';
import { formatAge, formatDateTime, serverNow } from './time.js';
import { roundsOf, STATUS_WORDS, statusBadge, titleOf, troubleOf, wordsOf } from './turn-text.js';

/** @typedef {{ data: ListedTurnResource[], next_cursor: string | null }} Page */

const AGAIN_MS = 3_000;

/**
 * Shows a list of turns, newest first, and refreshes it while the page is visible.
 * @param {HTMLElement} page
 * @param {Route} route
 * @returns {() => void} leaves the page
 */
export function showList(page, { query }) {
  const leaving = new AbortController();
  const { signal } = leaving;
  const head = { key: 'head', state: query.toString(), make: () => listFilter(query) };
  /** @type {Part[]} */
  let found = [];
  /** @type {Refused | null} */
  let refused = null;

  async function read() {
    try {
      /** @type {Page} */
      const { data, next_cursor: next } = await call('GET', `/v1/turns?${query}`, { signal });
      found = [rowsPart(data, query), pagingPart(query, next)];
      refused = null;
    } catch (error) {
      if (signal.aborted) return;
      refused = error instanceof Refused ? error : new Refused(0, String(error));
    }
    keepParts(page, [head, ...refusedPart(refused, read), ...found]);
  }
  const timer = setInterval(() => {
    // A final refusal is repeated by hand only: a key dialog every few seconds would be in the way.
    const isForGood = refused && refused.status >= 400 && refused.status < 500;
    if (document.visibilityState === 'visible' && found.length > 0 && !isForGood) read();
  }, AGAIN_MS);
  document.title = 'Turns · Pawl';
  keepParts(page, [head]);
  read();
  return () => {
    clearInterval(timer);
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

/** @param {URLSearchParams} query */
function noneView(query) {
  const status = query.get('status');
  const named =
    status === 'requires_action' ? 'turns that require action' : `${wordsOf(status ?? '').toLowerCase()} turns`;
  const what = status === null ? 'turns' : named;
  const where = query.has('conversation_id') ? ' in this conversation' : '';
  if (query.has('cursor')) return noneOf(`No older ${what}${where}`);
  return status !== null || where !== '' ? noneOf(`No ${what}${where}`) : noneYet();
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
  const filter = Object.fromEntries(query);
  const make = () =>
    element(
      'nav',
      { class: 'paging', 'aria-label': 'Pages of the list' },
      query.has('cursor') && element('a', { class: 'button', href: listHref({ ...filter, cursor: null }) }, 'Newest'),
      next && element('a', { class: 'button', href: listHref({ ...filter, cursor: next }) }, 'Older'),
    );
  return { key: 'paging', state: [query.toString(), next], make };
}

/**
 * The head of a list: its title, a way to find one turn, and the statuses to choose from.
 * @param {URLSearchParams} query the filter of the list
 */
function listFilter(query) {
  const status = query.get('status');
  const conversation = query.get('conversation_id');
  const choice = (/** @type {string | null} */ value, /** @type {string} */ words) =>
    element(
      'a',
      { href: listHref({ status: value, conversation_id: conversation }), 'aria-current': value === status && 'true' },
      words,
    );
  return element(
    'header',
    { class: 'list-head' },
    element('h1', {}, 'Turns'),
    findForm(),
    element(
      'nav',
      { class: 'statuses', 'aria-label': 'Status' },
      choice(null, 'All'),
      Object.entries(STATUS_WORDS).map(([value, words]) => choice(value, words)),
    ),
    conversation &&
      element(
        'p',
        { class: 'meta' },
        'Of the conversation ',
        element('code', {}, conversation),
        ' · ',
        element('a', { href: listHref({ status }) }, 'Show all'),
      ),
  );
}

function findForm() {
  const field = element('input', {
    id: 'find',
    type: 'search',
    placeholder: 'turn_…, resp_… or conv_…',
    'aria-label': 'Find a turn, a response or a conversation by its id',
    spellcheck: 'false',
  });
  const find = (/** @type {Event} */ event) => {
    event.preventDefault();
    const id = field.value.trim();
    if (id) location.hash = id.startsWith('conv_') ? listHref({ conversation_id: id }) : turnHref(turnIdOf(id));
  };
  return element('form', { class: 'find', role: 'search', onsubmit: find }, field);
}
