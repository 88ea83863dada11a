import { element } from './element.js';
import { listHref, turnHref } from './route.js';
import { STATUS_WORDS } from './status-badge.js';

/**
 * The head of a list: its title, a way to find one turn, and the statuses to choose from.
 * @param {URLSearchParams} query what the list is filtered by
 */
export function listFilter(query) {
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
    placeholder: 'turn_… or conv_…',
    'aria-label': 'Find a turn or a conversation by its id',
    spellcheck: 'false',
  });
  const find = (/** @type {Event} */ event) => {
    event.preventDefault();
    const id = field.value.trim();
    if (id) location.hash = id.startsWith('conv_') ? listHref({ conversation_id: id }) : turnHref(id);
  };
  return element('form', { class: 'find', role: 'search', onsubmit: find }, field);
}
