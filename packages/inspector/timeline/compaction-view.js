/**
 * @import { Entry } from './timeline-entries.js'
 */
import { element } from '../base/element.js';
import { formatTimeOfDay } from '../base/time.js';
import { formatCount } from '../base/turn-text.js';
import { timelineItem } from './entry-views.js';

/**
 * That the history was compacted before a round, with what is sent in its place folded below.
 * @param {Extract<Entry, { kind: 'compacted' }>} entry
 */
export function compactionView({ at, event, made, bars }) {
  const { round = 0, before_tokens: before = 0, after_tokens: after = 0 } = event;
  const tokens = `${formatCount(before)} → ${formatCount(after)} tokens`;
  const line = { meta: `${tokens} · for round ${round} on · checkpoint ${formatTimeOfDay(at)}`, bars };
  return timelineItem('checkpoint', 'History was compacted here', line, made && insteadView(made));
}

/** @param {NonNullable<Extract<Entry, { kind: 'compacted' }>['made']>} made */
function insteadView({ strategy, summary, model }) {
  if (strategy === 'drop_tool_results')
    return element('p', { class: 'hint' }, 'The results of older calls are sent as a note.');
  if (summary === null)
    return element('p', { class: 'hint' }, 'Its summary is gone: something that it told of was deleted.');
  return element(
    'details',
    { class: 'instead' },
    element('summary', {}, `Summary by ${model}, sent instead`),
    element('p', { class: 'said' }, summary),
  );
}
