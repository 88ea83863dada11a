/** @import { Bar } from './call-bars.js' */
import { element } from './element.js';
import { tellDuration } from './tell-time.js';

/** What the kinds of bars mean, as the legend writes it. */
export const BAR_WORDS = {
  wait: 'Queue wait',
  model: 'Model',
  tool: 'Tools',
  person: 'Waiting for somebody',
  pause: 'Pauses between tries',
  lost: 'Lost tries',
};

/**
 * Bars on the turn's time axis. Their ends are times; how wide that is, the style sheet works out from the axis'
 * length, `--total`, which grows while the turn runs.
 * @param {Bar[]} bars
 */
export function track(bars) {
  const told = bars.filter(({ from, to }) => to === null || to - from >= 1).map(tellBar);
  return element(
    'div',
    { class: 'track', role: 'img', 'aria-label': told.join(', ') || 'no time', title: told.join(' · ') },
    bars.map(({ kind, from, to }) =>
      element('i', { class: `bar ${kind}`, '--from': from, '--to': to ?? 'var(--total)' }),
    ),
  );
}

/**
 * How long bars took; one that still goes on counts up from `data-since`. The axis does not measure what waits for
 * somebody.
 * @param {Bar[]} bars
 */
export function took(bars) {
  const open = bars.find(({ to }) => to === null);
  if (bars.at(-1)?.kind === 'person') return element('span', { class: 'took' });
  if (open) return element('span', { class: 'took', 'data-since': open.from });
  return element(
    'span',
    { class: 'took' },
    tellDuration(bars.reduce((sum, { from, to }) => sum + (to ?? from) - from, 0)),
  );
}

/** @param {Bar} bar */
function tellBar({ kind, from, to }) {
  return `${BAR_WORDS[kind]} ${to === null ? 'so far' : tellDuration(to - from)}`;
}
