/**
 * @import { Bar } from './bars.js'
 * @import { CalledTool } from './timeline-entries.js'
 * @import { LiveCall, Result } from '../watch/watched-turn.js'
 */

import { call as ask } from '../base/api.js';
import { actionButton } from '../base/controls.js';
import { codeBlock, element, factList, prettyJson } from '../base/element.js';
import { formatDuration, formatTimeOfDay } from '../base/time.js';
import { statusBadge } from '../base/turn-text.js';
import { contentView } from '../content/part-view.js';
import { barTrack, durationOf } from './bars.js';

const EFFECTS = {
  none: 'none, may be repeated',
  idempotent: 'idempotent, may be repeated',
  at_most_once: 'at most once',
};

/**
 * One call of a batch, closed; when open it shows its arguments, its result and its ledger.
 * @param {CalledTool} called
 * @param {{ turnId: string, live: LiveCall | undefined, awaitsApproval: boolean }} of
 */
export function callView({ call, result, bars }, { turnId, live, awaitsApproval }) {
  const summary = element(
    'summary',
    { class: 'line' },
    element(
      'span',
      { class: 'what' },
      element('b', {}, call.name),
      element('code', { class: 'brief' }, briefly(call.arguments)),
      result.attempts > 1 && element('span', { class: 'meta' }, `${result.attempts} attempts`),
      statusBadge(statusOf(result)),
    ),
    bars.length > 0 && barTrack(bars),
    bars.length > 0 ? durationOf(bars.slice(-1)) : element('span', { class: 'took' }, lastedOf(result)),
  );
  const why =
    result.error &&
    element('p', { class: 'why' }, element('code', {}, result.error.category), ` ${result.error.message}`);
  const inside = element(
    'div',
    { class: 'inside' },
    element('h4', {}, 'Arguments'),
    codeBlock(prettyJson(call.arguments), `Arguments of ${call.name}`),
    approvedView(call),
    resultView(turnId, call.name, result),
    ledger(result, bars),
  );
  const left = result.status === 'handed_over' && element('p', { class: 'left' }, handOverText(awaitsApproval));
  const said = isOpen(result) && live && element('p', { class: 'saying' }, liveText(live));
  return element(
    'li',
    { class: 'call' },
    element('details', { 'data-key': call.id }, summary, inside),
    why,
    left,
    said,
  );
}

/**
 * What a call was made with, where a person changed it.
 * @param {CalledTool['call']} call
 */
function approvedView({ name, approved_arguments: approved }) {
  if (approved === undefined) return null;
  const block = codeBlock(prettyJson(approved), `Approved arguments of ${name}`);
  return element('div', {}, element('h4', {}, 'Approved instead'), block);
}

/** @param {Result} result */
function isOpen({ status }) {
  return status === 'pending' || status === 'running';
}

/** @param {Result} result */
function lastedOf({ cached, status, duration_ms: ms }) {
  if (status === 'handed_over') return '';
  if (!cached && ms) return formatDuration(ms);
  return cached ? 'cached' : 'not run';
}

/** @param {boolean} awaitsApproval */
function handOverText(awaitsApproval) {
  if (awaitsApproval) return 'Pawl runs it once a next response approves it.';
  return 'Left to its caller, who answers it in the input of a next response.';
}

/** @param {Result} result */
function statusOf(result) {
  return isOpen(result) && (result.waits_for ?? null) !== null ? 'waiting' : result.status;
}

/** @param {LiveCall} live */
function liveText({ statusText, progress }) {
  const progressText = progress === null ? '' : briefly(progress);
  return [statusText, progressText].filter(Boolean).join(' ');
}

/**
 * @param {string} turnId
 * @param {string} name
 * @param {Result} result
 */
function resultView(turnId, name, { status, content, error, truncated, tool_call_id: id }) {
  if (error) {
    const details = Object.keys(error.details ?? {}).length > 0;
    return element(
      'div',
      { class: 'refusal' },
      element('h4', {}, `Error: ${error.category}`),
      element('p', {}, error.message),
      details && codeBlock(prettyJson(error.details), `Details of the error of ${name}`),
    );
  }
  if (status !== 'success') return null;
  if (content !== null && typeof content !== 'string')
    return element('div', {}, element('h4', {}, 'Result'), ...contentView(content));
  const block = codeBlock(prettyJson(content ?? ''), `Result of ${name}`);
  const showAll = async () => {
    /** @type {{ output: string }} */
    const { output } = await ask('GET', `/v1/turns/${turnId}/tool_outputs/${encodeURIComponent(id)}`);
    block.textContent = prettyJson(output);
  };
  return element(
    'div',
    {},
    element('h4', {}, truncated ? 'Result, cut as the model saw it' : 'Result'),
    block,
    truncated && actionButton('Show all of it', showAll, { class: 'quiet' }),
  );
}

/**
 * @param {Result} result
 * @param {Bar[]} bars
 */
function ledger(result, bars) {
  const { approval } = result;
  const waited = bars.find(({ kind }) => kind === 'wait');
  return factList([
    ['Queue wait', waited && waited.to !== null && formatDuration(waited.to - waited.from)],
    ['Ran', result.duration_ms !== null && formatDuration(result.duration_ms)],
    ['Attempts', isOpen(result) ? null : result.attempts],
    ['Cached', result.cached && 'yes: an equal call had this answer'],
    ['Effect', EFFECTS[result.effect]],
    ['Claimed', result.claimed_at && formatTimeOfDay(result.claimed_at)],
    ['Started', result.started_at && formatTimeOfDay(result.started_at)],
    ['Checkpoint', result.completed_at && formatTimeOfDay(result.completed_at)],
    [
      'Decision',
      approval && (approval.decision === 'allow' ? 'Approved' : 'Denied') + (approval.by ? ` by ${approval.by}` : ''),
    ],
    ['Reason', approval?.reason],
    ['Call', element('code', {}, result.tool_call_id)],
    ['Idempotency-Key', result.idempotency_key && element('code', {}, result.idempotency_key)],
  ]);
}

/** @param {unknown} value */
function briefly(value) {
  return (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, 200);
}
