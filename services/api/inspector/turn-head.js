/** @import { TurnResource } from '#core/turn/present-turn.ts' */
import { actionButton } from './action-button.js';
import { call } from './api.js';
import { copyButton } from './copy-button.js';
import { element } from './element.js';
import { factList } from './fact-list.js';
import { notice } from './notice.js';
import { listHref } from './route.js';
import { statusBadge } from './status-badge.js';
import { tellMoment } from './tell-time.js';
import { titleOf } from './turn-text.js';

const MAY_RUN = ['queued', 'in_progress', 'requires_action'];

/**
 * What a turn is, and what can be done to it as a whole.
 * @param {TurnResource} turn
 * @param {() => void} refresh is told when the turn was changed
 */
export function turnHead(turn, refresh) {
  return element(
    'header',
    { class: 'turn-head' },
    element('p', { class: 'crumbs' }, element('a', { href: '#/turns' }, 'Turns'), element('code', {}, turn.id)),
    element('h1', {}, titleOf(turn)),
    element(
      'div',
      { class: 'bar-of-actions' },
      element('span', { role: 'status' }, statusBadge(turn.status)),
      element('span', { class: 'meta' }, turn.model),
      element('time', { class: 'meta', datetime: turn.created_at }, tellMoment(turn.created_at)),
      element('a', { class: 'meta', href: listHref({ conversation_id: turn.conversation_id }) }, 'Conversation'),
      element('div', { class: 'actions' }, buttons(turn, refresh)),
    ),
  );
}

/**
 * The numbers of a turn.
 * @param {TurnResource} turn
 */
export function turnFacts({ usage, round, metadata }) {
  const cached = usage.cached_input_tokens > 0 ? ` (${count(usage.cached_input_tokens)} cached)` : '';
  const given = Object.entries(metadata).map(([key, value]) => /** @type {[string, string]} */ ([key, value]));
  return factList(
    [
      ['Took', element('span', { class: 'elapsed' })],
      ['Rounds', count(round)],
      ['Tool calls', count(usage.tool_calls)],
      ['Tokens in', `${count(usage.input_tokens)}${cached}`],
      ['Tokens out', count(usage.output_tokens)],
      ...given,
    ],
    'facts wide',
  );
}

/**
 * @param {TurnResource} turn
 * @param {() => void} refresh
 */
function buttons({ id, status }, refresh) {
  /** @param {'cancel' | 'retry'} verb */
  const ask = async (verb) => {
    await call('POST', `/v1/turns/${id}/${verb}`);
    notice(verb === 'cancel' ? 'Cancelled.' : 'The turn goes on from its last checkpoint.');
    refresh();
  };
  return [
    MAY_RUN.includes(status) && actionButton('Cancel', () => ask('cancel'), { class: 'danger' }),
    status === 'failed' && actionButton('Retry', () => ask('retry'), { class: 'primary' }),
    element('a', { class: 'button', href: `#/new?from=${id}` }, 'Start again'),
    copyButton('Copy id', () => id),
  ];
}

/** @param {number} number */
function count(number) {
  return number.toLocaleString('en');
}
