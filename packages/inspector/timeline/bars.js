/** @import { Result } from '../watch/watched-turn.js' */
import { element } from '../base/element.js';
import { formatDuration } from '../base/time.js';

/**
 * A stretch of a timeline; `to` is null while it goes on.
 * @typedef {{ kind: 'wait' | 'model' | 'tool' | 'person' | 'pause' | 'lost', from: number, to: number | null }} Bar
 */

/** @typedef {{ result: Result, dueAt: string, resumedAt: string[], position: (time: string | number) => number }} CallTimes */

/**
 * What a call spent its time on: the wait for a person or client, if any, then the queue, then the tool.
 * @param {CallTimes} times
 * @returns {Bar[]}
 */
export function callBars({ result, dueAt, resumedAt, position }) {
  const due = position(dueAt);
  const end = result.completed_at === null ? null : position(result.completed_at);
  if (result.waits_for !== null && !result.approval) return [{ kind: 'person', from: due, to: end }];

  const allowed = result.approval ? Math.max(due, position(result.approval.at)) : due;
  const person = /** @type {Bar} */ ({ kind: 'person', from: due, to: allowed });
  return [...(result.approval ? [person] : []), ...workBars(result, allowed, { end, resumedAt, position })];
}

/**
 * @param {Result} result
 * @param {number} since
 * @param {{ end: number | null } & Pick<CallTimes, 'resumedAt' | 'position'>} times
 * @returns {Bar[]}
 */
function workBars(result, since, { end, resumedAt, position }) {
  if (result.waits_for === 'output') return [{ kind: 'person', from: since, to: end }];
  if (result.status === 'pending') return [{ kind: 'wait', from: since, to: null }];
  // A call that was answered without being started (refused, cached) took no time.
  if (result.started_at === null) return result.status === 'running' ? [{ kind: 'tool', from: since, to: end }] : [];
  const started = within(position(result.started_at), since, end);
  const due = resumedAt.map(position).reduce((latest, at) => (at <= started ? Math.max(latest, at) : latest), since);
  return [
    { kind: 'wait', from: due, to: started },
    { kind: 'tool', from: started, to: end },
  ];
}

/**
 * The times come from two clocks: a start is never before what made it possible, nor after its end.
 * @param {number} at
 * @param {number} earliest
 * @param {number | null} latest
 */
export function within(at, earliest, latest) {
  return Math.min(Math.max(at, earliest), latest ?? Number.POSITIVE_INFINITY);
}

/** The kinds of bars in words, for the legend. */
export const BAR_WORDS = {
  wait: 'Queue wait',
  model: 'Model',
  tool: 'Tools',
  person: 'Waiting for an answer',
  pause: 'Pauses between attempts',
  lost: 'Lost attempts',
};

/**
 * Bars on the turn's time axis. Their ends are times; the style sheet derives the width from the
 * axis' length, `--total`, which grows while the turn runs.
 * @param {Bar[]} bars
 */
export function barTrack(bars) {
  const texts = bars.filter(({ from, to }) => to === null || to - from >= 1).map(describeBar);
  return element(
    'div',
    { class: 'track', role: 'img', 'aria-label': texts.join(', ') || 'no time', title: texts.join(' · ') },
    bars.map(({ kind, from, to }) =>
      element('i', { class: `bar ${kind}`, '--from': from, '--to': to ?? 'var(--total)' }),
    ),
  );
}

/**
 * How long bars took; one that still goes on counts up from `data-since`. The axis does not measure the wait for an
 * answer.
 * @param {Bar[]} bars
 */
export function durationOf(bars) {
  const open = bars.find(({ to }) => to === null);
  if (bars.at(-1)?.kind === 'person') return element('span', { class: 'took' });
  if (open) return element('span', { class: 'took', 'data-since': open.from });
  return element(
    'span',
    { class: 'took' },
    formatDuration(bars.reduce((sum, { from, to }) => sum + (to ?? from) - from, 0)),
  );
}

/** @param {Bar} bar */
function describeBar({ kind, from, to }) {
  return `${BAR_WORDS[kind]} ${to === null ? 'so far' : formatDuration(to - from)}`;
}
