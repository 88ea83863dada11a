import { element } from '../base/element.js';

/**
 * One row of values of a chart, one for each stretch of time; null where there is none. Its `kind` is a class, which
 * says its colour.
 * @typedef {{ name: string, kind: string, values: (number | null)[] }} Series
 */

/** @typedef {{ from: string, to: string }} Stretch */

/**
 * What a chart shows: bars that stand on each other, or lines; `format` writes a value, `ceiling` finds the round top of its axis.
 * @typedef {{ series: Series[], as: 'bars' | 'lines', format: (value: number) => string, ceiling: (most: number) => number }} Drawn
 */

const SVG = 'http://www.w3.org/2000/svg';

/** The height of all drawings; they are stretched to the room there is. */
const HEIGHT = 100;

/** A line keeps off the top. */
const HEADROOM = 1.05;

/** The part of its stretch that a bar fills. */
const BAR = 0.76;

/**
 * The marks of a chart, without words: as wide as it has stretches, stretched over the plot.
 * @param {Drawn} drawn
 */
export function drawMarks({ series, as, ceiling }) {
  const count = series[0]?.values.length ?? 0;
  const top = topOf({ series, as, ceiling });
  const marks = as === 'bars' ? drawBars(series, top) : drawLines(series, top);
  return svg(
    'svg',
    { viewBox: `0 0 ${count} ${HEIGHT}`, preserveAspectRatio: 'none', 'aria-hidden': 'true' },
    ...marks,
  );
}

/**
 * The value at the top of a chart's axis.
 * @param {Pick<Drawn, 'series' | 'as' | 'ceiling'>} drawn
 */
export function topOf({ series, as, ceiling }) {
  const count = series[0]?.values.length ?? 0;
  const heights = Array.from({ length: count }, (_, index) => {
    const values = series.map(({ values }) => values[index] ?? 0);
    return as === 'bars' ? values.reduce((sum, value) => sum + value, 0) : Math.max(...values) * HEADROOM;
  });
  return ceiling(Math.max(0, ...heights));
}

/**
 * @param {Series[]} series
 * @param {number} top
 */
function drawBars(series, top) {
  /** @type {number[]} */
  const feet = [];
  return series.map(({ kind, values }) => {
    const path = values.map((value, index) => {
      if (!value) return '';
      const foot = feet[index] ?? 0;
      feet[index] = foot + value;
      const height = round((value / top) * HEIGHT);
      return `M${round(index + (1 - BAR) / 2)} ${round(HEIGHT - (foot / top) * HEIGHT)}v${-height}h${BAR}v${height}z`;
    });
    return svg('path', { class: `mark ${kind}`, d: path.join('') });
  });
}

/**
 * Lines, the later ones behind; a value with no neighbour is a dash as long as its stretch.
 * @param {Series[]} series
 * @param {number} top
 */
function drawLines(series, top) {
  return series.toReversed().map(({ kind, values }) => {
    const y = (/** @type {number} */ value) => round(HEIGHT - (value / top) * HEIGHT);
    const path = values.map((value, index) => {
      if (value === null) return '';
      const isFirst = (values[index - 1] ?? null) === null;
      const isAlone = isFirst && (values[index + 1] ?? null) === null;
      if (isAlone) return `M${index + 0.15} ${y(value)}h0.7`;
      return `${isFirst ? 'M' : 'L'}${index + 0.5} ${y(value)}`;
    });
    return svg('path', { class: `mark line ${kind}`, d: path.join(''), 'vector-effect': 'non-scaling-stroke' });
  });
}

/** @param {number} value */
function round(value) {
  return Math.round(value * 1000) / 1000;
}

/**
 * @param {string} tag
 * @param {Record<string, string>} attributes
 * @param {...Node} children
 */
function svg(tag, attributes, ...children) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/**
 * The words beside a chart: its values at the foot, the middle and the top.
 * @param {number} top
 * @param {(value: number) => string} format
 */
export function valueAxis(top, format) {
  const label = (/** @type {number} */ part) => element('span', { '--part': part }, format(top * part));
  return element('div', { class: 'values', 'aria-hidden': 'true' }, [0, 0.5, 1].map(label));
}

/**
 * The words beneath a chart: the times at which something begins that a person counts in.
 * @param {Stretch[]} stretches
 */
export function timeAxis(stretches) {
  const label = labelOf(stretches);
  const written = stretches.flatMap(({ from }, index) => {
    const [part, text] = [index / stretches.length, label(new Date(from))];
    return text && part < ROOM ? [element('span', { '--part': part }, text)] : [];
  });
  return element('div', { class: `times ${written.length > 5 ? 'many' : ''}`, 'aria-hidden': 'true' }, written);
}

/** Nearer to the end there is no room to write. */
const ROOM = 0.92;

/**
 * Which beginnings are written, and how: quarters of an hour, of a day, or days.
 * @param {Stretch[]} stretches
 * @returns {(at: Date) => string | null}
 */
function labelOf(stretches) {
  const minutes = (Date.parse(stretches.at(-1)?.to ?? '') - Date.parse(stretches[0]?.from ?? '')) / 60_000;
  const each = minutes / stretches.length;
  if (minutes > 3 * 24 * 60) {
    return (at) => (at.getHours() * 60 + at.getMinutes() < each ? at.toLocaleDateString('en-GB', DAY) : null);
  }
  const every = minutes > 120 ? 6 * 60 : 15;
  return (at) => ((at.getHours() * 60 + at.getMinutes()) % every < each ? clock(at) : null);
}

/** @type {Intl.DateTimeFormatOptions} */
const DAY = { weekday: 'short', day: 'numeric' };

/** @param {Date} at */
function clock(at) {
  return at.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' });
}

/**
 * A stretch of time in words: `20 Nov, 14:00 – 14:30`.
 * @param {Stretch} stretch
 */
export function formatStretch({ from, to }) {
  const [begin, end] = [new Date(from), new Date(to)];
  const day = (/** @type {Date} */ at) => at.toLocaleDateString('en-GB', { day: 'numeric', month: 'short' });
  const isOneDay = day(begin) === day(new Date(end.getTime() - 1));
  return `${day(begin)}, ${clock(begin)} – ${isOneDay ? '' : `${day(end)}, `}${clock(end)}`;
}

/**
 * The next round number whose half is whole.
 * @param {number} most
 */
export function roundCeiling(most) {
  const power = 10 ** Math.floor(Math.log10(Math.max(most, 1)));
  const round = [1, 2, 4, 6, 8, 10].map((factor) => factor * power).find((size) => size >= most) ?? most;
  return Math.max(2, round);
}

const SECOND = 1000;
const ROUND_MS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1_800, 3_600, 7_200, 14_400, 28_800, 86_400].map(
  (s) => s * SECOND,
);

/**
 * The next round duration.
 * @param {number} most in ms
 */
export function durationCeiling(most) {
  if (most <= SECOND) return roundCeiling(most);
  return ROUND_MS.find((ms) => ms >= most) ?? Math.ceil(most / (24 * 3_600 * SECOND)) * 24 * 3_600 * SECOND;
}
