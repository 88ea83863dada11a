/**
 * @import { Bar } from './bars.js'
 * @import { Part } from '../base/parts.js'
 * @import { Entry } from './timeline-entries.js'
 * @import { Watched } from '../watch/watched-turn.js'
 */

import { element } from '../base/element.js';
import { keepParts } from '../base/parts.js';
import { formatDuration, formatRoundDuration, serverNow } from '../base/time.js';
import { coveredMs, ticksOf } from './axis.js';
import { BAR_WORDS } from './bars.js';
import { timelineEntries } from './timeline-entries.js';
import { timelineParts } from './timeline-parts.js';

/** @typedef {Watched & { turn: NonNullable<Watched['turn']> }} KnownTurn */

/**
 * The timeline of a turn as a part of its page: a legend with what it spent its time on, an axis, the rail.
 * @param {KnownTurn} watched
 * @returns {Part}
 */
export function timelinePart(watched) {
  return {
    key: 'timeline',
    state: [watched.turn, watched.adopted, watched.rounds, watched.events.length, watched.live],
    make: () =>
      element(
        'section',
        { class: 'timeline', 'aria-label': 'Timeline' },
        element('h2', {}, 'Timeline'),
        element('div', { class: 'legend' }),
        element('div', { class: 'line axis', 'aria-hidden': 'true' }, element('div', { class: 'ticks' })),
        element('ol', {}),
      ),
    refresh: (made) => {
      const { entries } = timelineEntries(watched);
      const rail = made.querySelector('ol');
      if (rail) keepParts(rail, timelineParts(entries, watched));
    },
  };
}

/**
 * Lets what still goes on grow until now: the axis, the open bars, the durations that count.
 * @param {Element} page
 * @param {KnownTurn} watched
 */
export function tickTimeline(page, watched) {
  const { entries, position } = timelineEntries(watched);
  const { created_at: createdAt, completed_at: completedAt } = watched.turn;
  const now = completedAt === null ? serverNow() : Date.parse(completedAt);
  const total = position(now);
  const elapsed = now - Date.parse(createdAt);
  const section = /** @type {HTMLElement | null} */ (page.querySelector('.timeline'));
  section?.style.setProperty('--total', String(Math.max(total, 1)));
  const axis = section?.querySelector('.ticks');
  const legend = section?.querySelector('.legend');
  if (axis) keepParts(axis, ticksOf(total).map(tickPart));
  if (legend) keepParts(legend, legendParts(entries, { total, elapsed }));
  for (const cell of page.querySelectorAll('[data-since]')) {
    cell.textContent = formatDuration(total - Number(cell.getAttribute('data-since')));
  }
  for (const cell of page.querySelectorAll('.elapsed')) cell.textContent = formatDuration(elapsed);
}

/**
 * @param {number} at
 * @returns {Part}
 */
function tickPart(at) {
  return {
    key: String(at),
    state: at,
    make: () => element('span', { '--from': at }, at === 0 ? '0' : formatRoundDuration(at)),
  };
}

/**
 * @param {Entry[]} entries
 * @param {{ total: number, elapsed: number }} lasted how long the axis is, and how long the turn lasted
 * @returns {Part[]}
 */
function legendParts(entries, { total, elapsed }) {
  const bars = entries.flatMap((entry) =>
    'calls' in entry ? entry.calls.flatMap((call) => call.bars) : 'bars' in entry ? entry.bars : [],
  );
  const kinds = /** @type {Bar['kind'][]} */ (['wait', 'model', 'tool', 'person', 'pause', 'lost']);
  return kinds.flatMap((kind) => {
    const spans = bars.filter((bar) => bar.kind === kind).map(({ from, to }) => ({ from, to: to ?? total }));
    // The axis stands still while the turn requires action: that time was spent waiting for an answer.
    const ms = coveredMs(spans) + (kind === 'person' ? elapsed - total : 0);
    const text = `${BAR_WORDS[kind]} ${formatDuration(ms)}`;
    const make = () => element('span', {}, element('i', { class: `bar ${kind}` }), text);
    return ms >= 1 ? [{ key: kind, state: text, make }] : [];
  });
}
