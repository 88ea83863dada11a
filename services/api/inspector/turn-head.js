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
import { tellCount, tellTokens, titleOf } from './turn-text.js';

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
export function turnFacts({ usage, round }) {
  return factList(
    [
      ['Took', element('span', { class: 'elapsed' })],
      ['Rounds', tellCount(round)],
      ['Tool calls', tellCount(usage.tool_calls)],
      ['Tokens', tellTokens(usage)],
      ['Tokens cached', usage.cached_input_tokens > 0 && `${tellCount(usage.cached_input_tokens)} in`],
    ],
    'facts wide',
  );
}

/**
 * What the caller noted of a turn: words of theirs, apart from what is measured here.
 * @param {TurnResource['metadata']} metadata
 */
export function metadataView(metadata) {
  return element(
    'section',
    { class: 'metadata', 'aria-label': 'Metadata' },
    element('h2', {}, 'Metadata'),
    factList(
      Object.entries(metadata).map(([key, value]) => [key, element('code', {}, value)]),
      'pairs',
    ),
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
