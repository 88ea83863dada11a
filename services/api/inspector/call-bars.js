/** @import { Result } from './watch-turn.js' */

/**
 * A stretch of a timeline; `to` is null while it goes on.
 * @typedef {{ kind: 'wait' | 'model' | 'tool' | 'person' | 'pause' | 'lost', from: number, to: number | null }} Bar
 */

/** @typedef {{ result: Result, owedAt: string, resumedAt: string[], position: (time: string | number) => number }} CallTimes */

/**
 * What a call spent its time with: somebody outside first where it waited for one, then the queue, then the tool.
 * @param {CallTimes} times
 * @returns {Bar[]}
 */
export function callBars({ result, owedAt, resumedAt, position }) {
  const owed = position(owedAt);
  const end = result.completed_at === null ? null : position(result.completed_at);
  if (result.waits_for !== null && !result.approval) return [{ kind: 'person', from: owed, to: end }];

  const allowed = result.approval ? Math.max(owed, position(result.approval.at)) : owed;
  const person = /** @type {Bar} */ ({ kind: 'person', from: owed, to: allowed });
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
  // A call that was answered without having been started (refused, cached) took no time of anything.
  if (result.started_at === null) return result.status === 'running' ? [{ kind: 'tool', from: since, to: end }] : [];
  const started = within(position(result.started_at), since, end);
  const owed = resumedAt.map(position).reduce((latest, at) => (at <= started ? Math.max(latest, at) : latest), since);
  return [
    { kind: 'wait', from: owed, to: started },
    { kind: 'tool', from: started, to: end },
  ];
}

/**
 * Two machines tell the time here: a start is never before what made it possible, nor after its end.
 * @param {number} at
 * @param {number} earliest
 * @param {number | null} latest
 */
export function within(at, earliest, latest) {
  return Math.min(Math.max(at, earliest), latest ?? Number.POSITIVE_INFINITY);
}
