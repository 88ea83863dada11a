/** @import { Show } from '../base/dialog.js' */

import { call } from '../base/api.js';
import { askFirst } from '../base/dialog.js';
import { element } from '../base/element.js';
import { formatCount } from '../base/turn-text.js';
import { turnHref } from '../route.js';

/** @typedef {'cancel' | 'retry' | 'delete'} BulkAction */

/**
 * @typedef {{ id: string, status: string, matched: number, done: number, failed: number, left: number,
 *   errors: { turn_id: string, code: string }[] }} Bulk
 */

const WORDS = {
  cancel: { verb: 'Cancel', done: 'cancelled', about: 'What they have done so far is kept.' },
  retry: { verb: 'Retry', done: 'retried', about: 'Each goes on from its last checkpoint.' },
  delete: { verb: 'Delete', done: 'deleted', about: 'Their content is erased at once, and cannot be brought back.' },
};

const AGAIN_MS = 700;

/**
 * Does something to all turns that a filter finds, after showing how many these are; then shows how far it is.
 * @param {BulkAction} action
 * @param {Record<string, unknown>} filter
 * @param {string} what the turns, in words: `failed turns`
 */
export async function askBulk(action, filter, what) {
  /** @type {{ matched: number }} */
  const { matched } = await call('POST', '/v1/bulk', { body: { action, filter, dry_run: true } });
  if (matched === 0) throw new Error(`There are no such turns any more: nothing to ${action}.`);
  const { verb, about } = WORDS[action];
  await askFirst({
    title: `${verb} ${countOf(matched, what)}?`,
    texts: [about],
    action: `${verb} ${formatCount(matched)}`,
    isDanger: action !== 'retry',
    work: (show) => runBulk(action, filter, show),
  });
}

/**
 * @param {BulkAction} action
 * @param {Record<string, unknown>} filter
 * @param {Show} show
 */
async function runBulk(action, filter, show) {
  /** @type {Bulk} */
  let bulk = await call('POST', '/v1/bulk', { body: { action, filter } });
  for (;;) {
    show(...progressOf(bulk, action));
    if (bulk.status === 'completed' || !document.querySelector('dialog[open]')) return;
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    bulk = await call('GET', `/v1/bulk/${bulk.id}`);
  }
}

/**
 * @param {Bulk} bulk
 * @param {BulkAction} action
 * @returns {[string, ...Node[]]}
 */
function progressOf({ status, matched, done, failed, errors }, action) {
  const isOver = status === 'completed';
  const title = `${formatCount(done)} of ${formatCount(matched)} ${WORDS[action].done}`;
  const bar = element('progress', { max: matched, value: done + failed, 'aria-label': title });
  const hint = isOver ? null : element('p', { class: 'hint' }, 'It goes on by itself if you close this.');
  const refused = failed > 0 && element('p', {}, `${formatCount(failed)} could not be:`);
  const list = errors.map(({ turn_id: id, code }) =>
    element('li', {}, element('a', { href: turnHref(id) }, element('code', {}, id)), ' ', element('code', {}, code)),
  );
  const parts = [bar, hint, refused || null, list.length > 0 ? element('ul', { class: 'refusals' }, list) : null];
  return [title, ...parts.filter((part) => part !== null)];
}

/**
 * @param {number} count
 * @param {string} what
 */
function countOf(count, what) {
  return `${formatCount(count)} ${count === 1 ? what.replace(/turns\b/, 'turn') : what}`;
}
