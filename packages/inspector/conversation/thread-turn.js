/**
 * @import { Part } from '../base/parts.js'
 * @import { Item, ThreadTurn } from './watched-thread.js'
 */
import { call } from '../base/api.js';
import { actionButton, copyButton } from '../base/controls.js';
import { element } from '../base/element.js';
import { keepParts } from '../base/parts.js';
import { formatDateTime, formatDuration, formatTimeOfDay, serverNow } from '../base/time.js';
import { formatCount, formatUsd, statusBadge } from '../base/turn-text.js';
import { compareHref, turnHref } from '../route.js';
import { answerForms } from '../turn/answer-form.js';
import { askRerun } from '../turn/rerun.js';
import { troubleView } from '../turn/turn-summary.js';
import { waitingOf, waitingView } from '../turn/waiting-view.js';
import { piecePart } from './piece-view.js';
import { piecesOf } from './thread-pieces.js';

/** Calls back once an element came near the view. @typedef {(made: HTMLElement, turn: ThreadTurn) => void} Seen */

/**
 * A turn in its thread: what was asked, what was done, what was answered, and what it cost.
 * @param {Item} item
 * @param {{ refresh: () => void, seen: Seen }} of `seen` is told of the element of each state of the turn
 * @returns {Part}
 */
export function threadTurnPart(item, { refresh, seen }) {
  const { turn } = item;
  return {
    key: turn.id,
    state: item,
    make: () => element('li', { class: 'thread-turn', 'data-turn': turn.id, tabindex: -1 }),
    refresh: (made) => {
      keepParts(made, partsOf(item, refresh));
      seen(made, turn);
    },
  };
}

/**
 * @param {Item} item
 * @param {() => void} refresh
 * @returns {(Part | false)[]}
 */
function partsOf(item, refresh) {
  const { turn, live } = item;
  const { error, incomplete_details: incomplete, warnings } = turn;
  const waiting = waitingOf(turn);
  const pieces = piecesOf(item).map((piece, index) => piecePart(piece, index, { turn, live }));
  const isTroubled = error !== null || incomplete !== null || warnings.length > 0;
  return [
    ...pieces,
    ...answerForms(turn, refresh),
    waiting !== null &&
      turn.required_action === null && { key: 'waiting', state: waiting, make: () => waitingView(waiting) },
    isTroubled && { key: 'trouble', state: [error, incomplete, warnings], make: () => troubleView(turn) },
    { key: 'foot', state: [{ ...turn, input: null, output: null }], make: () => footView(turn, refresh) },
  ];
}

/**
 * @param {ThreadTurn} turn
 * @param {() => void} refresh
 */
function footView(turn, refresh) {
  const { id, status, model, usage, output, created_at: createdAt, schedule_id: scheduleId, rerun_of: rerunOf } = turn;
  const ask = async (/** @type {'cancel' | 'retry'} */ verb) => {
    await call('POST', `/v1/turns/${id}/${verb}`);
    refresh();
  };
  const isOver = turn.completed_at !== null;
  return element(
    'footer',
    { class: 'thread-foot' },
    statusBadge(status),
    element('span', { class: 'meta' }, model),
    element('span', { class: 'meta lasted', 'data-from': isOver ? null : turn.started_at }, lastedOf(turn)),
    usage.total_tokens > 0 && element('span', { class: 'meta' }, `${formatCount(usage.total_tokens)} tokens`),
    usage.cost_usd !== null && usage.llm_calls > 0 && element('span', { class: 'meta' }, formatUsd(usage.cost_usd)),
    element(
      'time',
      { class: 'meta', datetime: createdAt, title: formatDateTime(createdAt) },
      formatTimeOfDay(createdAt).slice(0, 5),
    ),
    scheduleId && element('a', { class: 'meta', href: '#/schedules' }, 'by a schedule'),
    rerunOf && element('a', { class: 'meta', href: compareHref(rerunOf, id) }, 'a rerun: compare'),
    element(
      'div',
      { class: 'actions aside' },
      status === 'failed' && actionButton('Retry', () => ask('retry'), { class: 'quiet' }),
      output !== null && copyButton('Copy', () => output, 'Copy the answer'),
      isOver && actionButton('Rerun', () => askRerun(turn), { class: 'quiet' }),
      !isOver && actionButton('Cancel', () => ask('cancel'), { class: 'quiet danger' }),
      element('a', { class: 'button quiet', href: turnHref(id), 'data-key': `open-${id}` }, 'Timeline'),
    ),
  );
}

/** @param {ThreadTurn} turn */
function lastedOf({ started_at: from, completed_at: to }) {
  if (!from) return '';
  return formatDuration((to ? Date.parse(to) : serverNow()) - Date.parse(from));
}
