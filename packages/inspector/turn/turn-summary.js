/**
 * @import { TurnResource } from '#core/turn/resource/turn.ts'
 * @import { ResponseResource } from '../watch/watched-response.js'
 */

import { call, send } from '../base/api.js';
import { actionButton, copyButton, notice } from '../base/controls.js';
import { askFirst } from '../base/dialog.js';
import { codeBlock, element, factList } from '../base/element.js';
import { formatDateTime } from '../base/time.js';
import { formatCount, formatShare, formatTokens, formatUsd, statusBadge, titleOf } from '../base/turn-text.js';
import { conversationHref } from '../route.js';
import { askRerun } from './rerun.js';

const MAY_RUN = ['queued', 'in_progress', 'requires_action'];

/**
 * What a turn is, and what can be done to it as a whole.
 * @param {TurnResource} turn
 * @param {() => void} refresh is called when the turn was changed
 */
export function turnHead(turn, refresh) {
  return element(
    'header',
    { class: 'turn-head' },
    element(
      'p',
      { class: 'crumbs' },
      element('a', { href: '#/turns' }, 'Turns'),
      [turn.id, turn.response_id].map((id) => id && copyButton(id, () => id, `Copy ${id}`)),
    ),
    element('h1', {}, titleOf(turn)),
    element(
      'div',
      { class: 'bar-of-actions' },
      element('span', { role: 'status' }, statusBadge(turn.status)),
      element('span', { class: 'meta' }, turn.model),
      element('time', { class: 'meta', datetime: turn.created_at }, formatDateTime(turn.created_at)),
      element('a', { class: 'meta', href: conversationHref(turn.conversation_id) }, 'Conversation'),
      element('div', { class: 'actions' }, buttons(turn, refresh)),
    ),
  );
}

/**
 * The numbers of a turn, and how it was created where it is a response.
 * @param {TurnResource} turn
 * @param {ResponseResource | null} response
 */
export function turnFacts({ usage, round }, response) {
  return factList(
    [
      ['Took', element('span', { class: 'elapsed' })],
      ['Rounds', formatCount(round)],
      ['Tool calls', formatCount(usage.tool_calls)],
      ['Tokens', formatTokens(usage)],
      ['Tokens from cache', usage.cached_input_tokens > 0 && formatShare(usage)],
      ['Tokens to cache', usage.cache_write_tokens > 0 && formatCount(usage.cache_write_tokens)],
      ['Cost', usage.cost_usd !== null && round > 0 && formatUsd(usage.cost_usd)],
      savingsFact(usage.cache_savings_usd),
      ['Background', response && (response.background ? 'yes' : 'no')],
      ['Stored', response && (response.store ? 'yes' : 'no')],
    ],
    'facts wide',
  );
}

/**
 * The savings of caching, or its cost if the writes cost more than the reads saved.
 * @param {number | null} usd
 * @returns {[string, string | false]}
 */
function savingsFact(usd) {
  const isCost = usd !== null && usd < 0;
  return [isCost ? 'Caching cost' : 'Caching saved', usd !== null && usd !== 0 && formatUsd(Math.abs(usd))];
}

/**
 * The caller's metadata of a turn.
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
function buttons(turn, refresh) {
  const { id, status } = turn;
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
    !MAY_RUN.includes(status) && actionButton('Rerun', () => askRerun(turn)),
    !MAY_RUN.includes(status) && actionButton('Delete', () => askDelete(id), { class: 'danger' }),
  ];
}

/** @param {string} id */
async function askDelete(id) {
  await askFirst({
    title: 'Delete this turn?',
    texts: [
      'Its content is erased at once, and cannot be brought back. Later turns of its conversation are sent without it.',
    ],
    action: 'Delete it',
    isDanger: true,
    work: async () => {
      await send('DELETE', `/v1/turns/${id}`);
      notice('Deleted.');
      location.hash = '#/turns';
    },
  });
}

const REASONS = {
  deadline: 'Its deadline came first.',
  max_cost_usd: 'It cost as much as it may.',
  max_output_tokens: 'The model’s reply was cut by its length.',
  content_filter: 'The provider withheld the rest.',
  unknown_finish_reason: 'The model stopped for a reason that Pawl does not know.',
};

/**
 * The answer of a turn: its text, or, where it had to fit a schema, the JSON that it is.
 * @param {string} output
 * @param {unknown} parsed
 */
export function answerView(output, parsed) {
  return element(
    'section',
    { class: 'answer', 'aria-label': 'Answer' },
    element('h2', {}, 'Answer'),
    parsed === null
      ? element('p', { class: 'answer-text' }, output)
      : codeBlock(JSON.stringify(parsed, null, 2), 'Answer as JSON'),
  );
}

/**
 * Why a turn failed or is incomplete, and its warnings.
 * @param {Pick<TurnResource, 'error' | 'incomplete_details' | 'warnings'>} turn
 */
export function troubleView({ error, incomplete_details: incomplete, warnings }) {
  return element(
    'section',
    { class: `trouble ${error ? 'failed' : ''}`, 'aria-label': 'What went wrong' },
    error && element('p', {}, element('code', {}, error.code), ` ${error.message}`),
    error &&
      element(
        'p',
        { class: 'hint' },
        error.retryable ? 'It may help to retry.' : 'Trying again as it is will not help.',
      ),
    incomplete && element('p', {}, element('code', {}, incomplete.reason), ` ${explainReason(incomplete.reason)}`),
    warnings.map((warning) => element('p', {}, `Warning: ${warning}`)),
  );
}

/**
 * Why an answer is incomplete. Most limits are named for what they count: `max_tool_calls`.
 * @param {string} reason
 */
function explainReason(reason) {
  const known = Object.entries(REASONS).find(([name]) => name === reason)?.[1];
  if (known) return known;
  const counted = reason.match(/^max_(?:total_)?(\w+)$/)?.[1];
  return counted ? `It used all of its ${counted.replaceAll('_', ' ')}.` : reason;
}
