/** @import { Part } from '../base/parts.js' */

import { actionButton } from '../base/controls.js';
import { element } from '../base/element.js';
import { keepParts } from '../base/parts.js';
import { formatAge, formatDateTime, serverNow } from '../base/time.js';
import { formatCount } from '../base/turn-text.js';
import { askBulk } from '../list/bulk.js';
import { listHref, turnHref } from '../route.js';

/**
 * @typedef {{ error_code: string, turns: number, precision: string,
 *   example: { turn_id: string, project: string, message: string, created_at: string } }} FailureGroup
 */

/** @typedef {{ created_after: string, created_before: string }} Created */

/**
 * Failed turns by the code of their error, each with its newest one, and a way to retry them all. Those that may be of another
 * project than that of the key can only be looked at.
 * @param {FailureGroup[]} groups
 * @param {{ from: string, to: string, isOwn: boolean }} shown
 * @param {() => void} refresh is called when turns were retried
 * @returns {Part[]}
 */
export function failureParts(groups, { from, to, isOwn }, refresh) {
  if (groups.length === 0) return [{ key: 'no-failures', state: null, make: noFailuresView }];
  const created = { created_after: from, created_before: to };
  const make = () =>
    element(
      'section',
      { class: 'failures', 'aria-label': 'Failures' },
      element('h2', {}, 'Failures'),
      element('ol', {}),
    );
  const fill = (/** @type {HTMLElement} */ made) => {
    const list = made.querySelector('ol');
    if (list)
      keepParts(
        list,
        groups.map((group) => (isOwn ? groupPart(group, created, refresh) : foreignPart(group))),
      );
  };
  return [{ key: 'failures', state: [groups, from, Math.floor(serverNow() / 1000)], make, refresh: fill }];
}

function noFailuresView() {
  return element('p', { class: 'meta' }, 'No turn of this time is failed.');
}

/**
 * @param {FailureGroup} group
 * @param {Created} created
 * @param {() => void} refresh
 * @returns {Part}
 */
function groupPart(group, created, refresh) {
  const { error_code: code, example } = group;
  const age = formatAge(serverNow() - Date.parse(example.created_at));
  const filter = { status: 'failed', error_code: code, ...created };
  const retry = async () => {
    await askBulk('retry', filter, `failed turns`);
    refresh();
  };
  const make = () =>
    element(
      'li',
      { class: 'group' },
      countView(group),
      element(
        'a',
        { class: 'example', href: turnHref(example.turn_id), 'data-key': `example ${code}` },
        ...exampleViews(group),
      ),
      ageView(group, age),
      element('a', { class: 'button quiet', href: listHref(filter), 'data-key': `show ${code}` }, 'Show all'),
      actionButton('Retry all', retry, {
        class: 'quiet',
        'data-key': `retry ${code}`,
        'aria-label': `Retry all: ${code}`,
      }),
    );
  return { key: code, state: [group, created, age], make };
}

/**
 * A group whose turns the key cannot read, with the project of its newest one.
 * @param {FailureGroup} group
 * @returns {Part}
 */
function foreignPart(group) {
  const age = formatAge(serverNow() - Date.parse(group.example.created_at));
  const make = () =>
    element(
      'li',
      { class: 'group' },
      countView(group),
      element('div', { class: 'example' }, ...exampleViews(group)),
      ageView(group, age),
      element('span', { class: 'meta' }, group.example.project),
    );
  return { key: group.error_code, state: [group, age], make };
}

/** @param {FailureGroup} group */
function countView({ turns, precision }) {
  return element('b', {}, `${precision === 'exact' ? '' : '≥ '}${formatCount(turns)}`);
}

/** @param {FailureGroup} group */
function exampleViews({ error_code: code, example: { message } }) {
  return [element('code', {}, code), element('span', { class: 'message' }, message)];
}

/**
 * @param {FailureGroup} group
 * @param {string} age
 */
function ageView({ example: { created_at: at } }, age) {
  return element('time', { class: 'meta', datetime: at, title: formatDateTime(at) }, age);
}
