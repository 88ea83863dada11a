/**
 * @import { Bar } from './call-bars.js'
 * @import { Child } from './element.js'
 */
import { element } from './element.js';
import { took, track } from './track.js';

/**
 * One thing on the rail of a timeline: its title, what else there is to say in a line, and its bars.
 * @param {string} looks classes of the style sheet
 * @param {string} title
 * @param {{ meta?: Child, bars?: Bar[], timed?: Bar[] }} line `timed` are the bars whose duration is written
 * @param {...Child} inside
 */
export function timelineItem(looks, title, { meta, bars = [], timed = bars }, ...inside) {
  return element(
    'li',
    { class: `entry ${looks}` },
    element(
      'div',
      { class: 'line' },
      element('div', { class: 'what' }, element('h3', {}, title), element('span', { class: 'meta' }, meta)),
      bars.length > 0 && track(bars),
      timed.length > 0 && took(timed),
    ),
    ...inside,
  );
}
