/** @import { BulkAction } from './bulk.js' */

import { actionButton } from '../base/controls.js';
import { element } from '../base/element.js';
import { formatDateTime } from '../base/time.js';
import { formatCount, STATUS_WORDS, wordsOf } from '../base/turn-text.js';
import { queryHref, turnHref, turnIdOf } from '../route.js';
import { askBulk } from './bulk.js';

/** @typedef {{ counts: Record<string, number>, at_least: string[] }} TurnCounts how many turns there are of each status */

/**
 * The head of a list: its title, a search, the statuses to choose from, and the filters that hold, each with a way to drop it.
 * All of it is in the address, so that a list can be shared.
 * @param {URLSearchParams} query the filter of the list
 * @param {() => void} refresh is called when turns were changed
 */
export function listFilter(query, refresh) {
  const filters = filtersOf(query);
  return element(
    'header',
    { class: 'list-head' },
    element('h1', {}, 'Turns'),
    findForm(query),
    element('nav', { class: 'statuses', 'aria-label': 'Status' }, statusLinks(query)),
    element(
      'div',
      { class: 'filters' },
      filters.length > 0 &&
        element(
          'ul',
          { 'aria-label': 'Filters' },
          filters.map((filter) => chip(query, filter)),
        ),
      moreFilters(query),
      element('div', { class: 'actions to-all' }, bulkButtons(query, refresh)),
    ),
  );
}

/**
 * Writes beside each status how many turns there are.
 * @param {HTMLElement} head
 * @param {TurnCounts} counted
 */
export function showCounts(head, { counts, at_least: more }) {
  for (const place of head.querySelectorAll('[data-status]')) {
    const status = place.getAttribute('data-status') ?? '';
    const count = counts[status] ?? 0;
    place.textContent = count === 0 ? '' : `${formatCount(count)}${more.includes(status) ? '+' : ''}`;
  }
}

/** @param {URLSearchParams} query */
function statusLinks(query) {
  const chosen = statusesOf(query);
  const link = (/** @type {string[]} */ statuses, /** @type {boolean} */ isChosen, /** @type {Node[]} */ ...words) =>
    element('a', { href: withParam(query, 'status', statuses.join(',')), 'aria-current': isChosen && 'true' }, words);
  return [
    link([], chosen.length === 0, new Text('All')),
    ...Object.entries(STATUS_WORDS).map(([status, words]) => {
      const isChosen = chosen.includes(status);
      const toggled = isChosen ? chosen.filter((one) => one !== status) : [...chosen, status];
      const count = element('span', { class: 'count', 'data-status': status, 'aria-hidden': 'true' });
      return link(toggled, isChosen, new Text(words), count);
    }),
  ];
}

/** @param {URLSearchParams} query */
export function statusesOf(query) {
  return (query.get('status') ?? '').split(',').filter(Boolean);
}

/** @typedef {{ name: string, value: string, words: string }} Filter */

/**
 * The filters of a list but its statuses and its page.
 * @param {URLSearchParams} query
 * @returns {Filter[]}
 */
function filtersOf(query) {
  return [...query]
    .filter(([name]) => !['status', 'cursor', 'limit'].includes(name))
    .map(([name, value]) => ({ name, value, words: wordsOfFilter(name) }));
}

/**
 * @param {string} name
 */
function wordsOfFilter(name) {
  const [, key] = /^metadata\[(.*)\]$/.exec(name) ?? [];
  if (key !== undefined) return `${key} is`;
  return (
    { q: 'contains', created_after: 'from', created_before: 'before', conversation_id: 'conversation' }[name] ??
    wordsOf(name)
  );
}

/**
 * @param {URLSearchParams} query
 * @param {Filter} filter
 */
function chip(query, { name, value, words }) {
  const isTime = name.startsWith('created_') && !Number.isNaN(Date.parse(value));
  return element(
    'li',
    { class: 'chip' },
    `${words} `,
    element('b', {}, isTime ? formatDateTime(value) : value),
    element('a', { href: withParam(query, name, ''), 'aria-label': `Drop the filter: ${words} ${value}` }, '×'),
  );
}

/**
 * The address of the list with one parameter set anew, or without it; it begins with its first page.
 * @param {URLSearchParams} query
 * @param {string} name
 * @param {string} value
 */
function withParam(query, name, value) {
  const changed = new URLSearchParams(query);
  changed.delete('cursor');
  if (value === '') changed.delete(name);
  else changed.set(name, value);
  return queryHref(changed);
}

/** An id of any kind that leads to a turn or a conversation. */
const ID = /^(?:turn|resp|conv|msg|fc|rs|mcp\w*)_\S+$/;

/** @param {URLSearchParams} query */
function findForm(query) {
  const field = element('input', {
    ...{ id: 'find', type: 'search', placeholder: 'Words, or an id', spellcheck: 'false' },
    'aria-label': 'Find turns by their words, or a turn, a response or a conversation by its id',
    value: query.get('q') ?? '',
  });
  const find = (/** @type {Event} */ event) => {
    event.preventDefault();
    const text = field.value.trim();
    if (text.startsWith('conv_')) location.hash = withParam(new URLSearchParams(), 'conversation_id', text);
    else if (ID.test(text)) location.hash = turnHref(turnIdOf(text));
    else location.hash = withParam(query, 'q', text);
  };
  return element('form', { class: 'find', role: 'search', onsubmit: find }, field);
}

/** @param {URLSearchParams} query */
function moreFilters(query) {
  const value = (/** @type {string} */ name) => query.get(name) ?? '';
  const field = (/** @type {string} */ label, /** @type {Record<string, unknown>} */ props) =>
    element('label', {}, label, element('input', { spellcheck: 'false', ...props }));
  const set = (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    if (event.currentTarget instanceof HTMLFormElement)
      location.hash = filteredHref(query, new FormData(event.currentTarget));
  };
  return element(
    'details',
    { class: 'more-filters', 'data-key': 'more-filters' },
    element('summary', { class: 'button quiet' }, 'Filter'),
    element(
      'form',
      { onsubmit: set },
      field('Model', { name: 'model', value: value('model'), placeholder: 'openai/gpt-4.1' }),
      field('Error code', { name: 'error_code', value: value('error_code'), placeholder: 'provider_overloaded' }),
      field('Created from', {
        name: 'created_after',
        type: 'datetime-local',
        value: localTime(value('created_after')),
      }),
      field('Created before', {
        name: 'created_before',
        type: 'datetime-local',
        value: localTime(value('created_before')),
      }),
      field('Metadata key', { name: 'key', maxlength: 64 }),
      field('Metadata value', { name: 'value', maxlength: 512 }),
      element('div', { class: 'actions' }, element('button', { class: 'primary' }, 'Show these')),
    ),
  );
}

/**
 * @param {URLSearchParams} query
 * @param {FormData} form
 */
function filteredHref(query, form) {
  const text = (/** @type {string} */ name) => String(form.get(name) ?? '').trim();
  const changed = new URLSearchParams(query);
  changed.delete('cursor');
  const set = (/** @type {string} */ name, /** @type {string} */ value) =>
    value === '' ? changed.delete(name) : changed.set(name, value);
  for (const name of ['model', 'error_code']) set(name, text(name));
  for (const name of ['created_after', 'created_before']) {
    const local = text(name);
    // A field knows minutes: a time that was not changed keeps its seconds.
    if (local !== localTime(query.get(name) ?? '')) set(name, local && new Date(local).toISOString());
  }
  if (text('key')) changed.set(`metadata[${text('key')}]`, text('value'));
  return queryHref(changed);
}

/**
 * A time as a field of the browser has it.
 * @param {string} time
 */
function localTime(time) {
  const at = new Date(time);
  if (Number.isNaN(at.getTime())) return '';
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/**
 * What can be done to all turns of a list at once: only where it is filtered, and makes sense of what it is filtered by.
 * @param {URLSearchParams} query
 * @param {() => void} refresh
 */
function bulkButtons(query, refresh) {
  const filter = bulkFilter(query);
  if (Object.keys(filter).length === 0) return [];
  const chosen = statusesOf(query);
  const may = (/** @type {string[]} */ statuses) =>
    chosen.length === 0 || chosen.some((status) => statuses.includes(status));
  const button = (/** @type {BulkAction} */ action, /** @type {string} */ label) =>
    actionButton(label, () => askBulk(action, filter, 'turns').then(refresh), { class: 'quiet' });
  return [
    chosen.join() === 'failed' && button('retry', 'Retry all'),
    may(['queued', 'in_progress', 'requires_action']) && button('cancel', 'Cancel all'),
    may(['completed', 'incomplete', 'failed', 'cancelled']) && button('delete', 'Delete all'),
  ];
}

/**
 * A list's filter as a body has it.
 * @param {URLSearchParams} query
 */
function bulkFilter(query) {
  /** @type {Record<string, unknown>} */
  const filter = {};
  /** @type {Record<string, string>} */
  const metadata = {};
  for (const [name, value] of query) {
    const [, key] = /^metadata\[(.*)\]$/.exec(name) ?? [];
    if (key !== undefined) metadata[key] = value;
    else if (name !== 'cursor' && name !== 'limit') filter[name] = value;
  }
  return Object.keys(metadata).length > 0 ? { ...filter, metadata } : filter;
}
