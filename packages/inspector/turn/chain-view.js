/**
 * @import { ChainResource } from '#core/turn/resource/chain.ts'
 * @import { Part } from '../base/parts.js'
 * @import { KnownTurn } from '../timeline/timeline.js'
 */

import { element } from '../base/element.js';
import { formatCount, statusBadge } from '../base/turn-text.js';
import { turnHref, turnIdOf } from '../route.js';

/** @typedef {ChainResource['forks'][number]} ChainedTurn */

/**
 * What a turn stands on and what stands on it, as links; none where it stands alone.
 * @param {KnownTurn} watched
 * @returns {Part[]}
 */
export function chainPart({ turn, chain, response }) {
  const deleted = deletedBefore(chain, response?.previous_response_id ?? null);
  if (!chain || !(chain.previous || chain.next || chain.forks.length + chain.continued_by.length > 0 || deleted))
    return [];
  const make = () => chainView(chain, deleted, turn);
  return [{ key: 'chain', state: [chain, deleted], make }];
}

/**
 * The response that this one was created behind, where callers no longer find it.
 * @param {ChainResource | null} chain
 * @param {string | null} previousId
 */
function deletedBefore(chain, previousId) {
  return previousId !== null && chain && turnIdOf(previousId) !== chain.previous?.id ? previousId : null;
}

/**
 * @param {ChainResource} chain
 * @param {string | null} deleted
 * @param {KnownTurn['turn']} turn
 */
function chainView({ previous, next, forks, forks_count: count, continued_by: continuedBy }, deleted, turn) {
  const own = previous?.conversation_id === turn.conversation_id ? 'Previous' : 'Forked from';
  const before = previous && previous.id === turn.continues ? 'Continues' : own;
  const older = count - forks.length;
  return element(
    'nav',
    { class: 'chain', 'aria-label': 'Chain' },
    element('h2', {}, 'Chain'),
    element(
      'ul',
      {},
      deleted &&
        element('li', { class: 'gone' }, element('b', {}, 'Previous'), element('code', {}, deleted), ' was deleted'),
      previous && linkView(deleted ? 'Before that' : before, 'previous', previous),
      next && linkView('Next', 'next', next),
      continuedBy.map((each) => linkView('Continued by', 'next', each)),
      forks.map((fork) => linkView('Fork', 'fork', fork)),
      older > 0 && element('li', { class: 'gone' }, `and ${formatCount(older)} older forks`),
    ),
  );
}

/**
 * @param {string} words
 * @param {'previous' | 'next' | 'fork'} link
 * @param {ChainedTurn} turn
 */
function linkView(words, link, { id, preview, status }) {
  const said = preview?.trim().split('\n')[0];
  return element(
    'li',
    { class: link },
    element(
      'a',
      { href: turnHref(id), 'data-key': `${link}-${id}` },
      element('b', {}, words),
      element('span', { class: 'title' }, said || element('code', {}, id)),
      statusBadge(status),
    ),
  );
}
