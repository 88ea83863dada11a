/**
 * @import { Watched } from './watch-turn.js'
 * @import { Bar } from './call-bars.js'
 * @import { Part } from './keep-parts.js'
 * @import { Entry } from './timeline-of.js'
 */
import { coveredMs, ticksOf } from './axis.js';
import { serverNow } from './clock.js';
import { element } from './element.js';
import { keepParts } from './keep-parts.js';
import { tellDuration, tellRoundDuration } from './tell-time.js';
import { timelineOf } from './timeline-of.js';
import { timelineParts } from './timeline-view.js';
import { BAR_WORDS } from './track.js';

/** @typedef {Watched & { turn: NonNullable<Watched['turn']> }} KnownTurn */

/**
 * The timeline of a turn as a part of its page: a legend with what it spent its time with, an axis, the rail.
 * @param {KnownTurn} watched
 * @returns {Part}
 */
export function timelinePart(watched) {
  return {
    key: 'timeline',
    state: [watched.turn, watched.rounds, watched.events.length, watched.live],
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
      const { entries } = timelineOf(watched);
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
  const { entries, position } = timelineOf(watched);
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
    cell.textContent = tellDuration(total - Number(cell.getAttribute('data-since')));
  }
  for (const cell of page.querySelectorAll('.elapsed')) cell.textContent = tellDuration(elapsed);
}

/**
 * @param {number} at
 * @returns {Part}
 */
function tickPart(at) {
  return {
    key: String(at),
    state: at,
    make: () => element('span', { '--from': at }, at === 0 ? '0' : tellRoundDuration(at)),
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
    // The axis stands still while the turn is parked: that time was somebody's.
    const ms = coveredMs(spans) + (kind === 'person' ? elapsed - total : 0);
    const text = `${BAR_WORDS[kind]} ${tellDuration(ms)}`;
    const make = () => element('span', {}, element('i', { class: `bar ${kind}` }), text);
    return ms >= 1 ? [{ key: kind, state: text, make }] : [];
  });
}
