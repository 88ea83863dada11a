/**
 * @import { Drawn, Series, Stretch } from './chart.js'
 * @import { Part } from '../base/parts.js'
 */

import { element } from '../base/element.js';
import { drawMarks, formatStretch, timeAxis, topOf, valueAxis } from './chart.js';

/**
 * A chart with its words: `headline` is what the whole range comes to, `total` the same for each series.
 * @typedef {Drawn & { title: string, headline: string, totals: string[] }} Card
 */

/**
 * Charts over the same stretches of time. Pointing at a stretch in one, by mouse, finger or arrow keys, reads it in all of
 * them; opening it, by a click or Enter, calls `open`.
 * @param {Stretch[]} stretches
 * @param {Card[]} cards
 * @param {(stretch: Stretch) => void} open
 */
export function chartCards(stretches, cards, open) {
  const made = cards.map((card) => cardView(card, stretches));
  const pointed = { index: -1 };
  const point = (/** @type {number} */ index) => {
    if (index === pointed.index) return;
    pointed.index = index;
    for (const { read } of made) read(index);
  };
  for (const { plot } of made) listen(plot, { stretches, pointed, point, open });
  return element(
    'div',
    { class: 'charts' },
    made.map(({ view }) => view),
  );
}

/**
 * @param {Card} card
 * @param {Stretch[]} stretches
 */
function cardView(card, stretches) {
  const top = topOf(card);
  const when = element('span', { class: 'when' });
  const legend = element('ul', { class: 'readings' });
  const plot = element(
    'div',
    {
      ...{ class: 'plot', tabindex: 0, role: 'slider', 'aria-label': `${card.title} over time` },
      ...{ 'aria-valuemin': 0, 'aria-valuemax': stretches.length - 1, '--count': stretches.length },
    },
    valueAxis(top, card.format),
    element('div', { class: 'marks' }, drawMarks(card), element('i', { class: 'pointer' })),
    timeAxis(stretches),
  );
  const view = element(
    'section',
    { class: 'chart', 'aria-label': card.title },
    element('header', {}, element('h2', {}, card.title), when),
    element('p', { class: 'headline' }, card.headline),
    plot,
    legend,
  );
  const read = (/** @type {number} */ index) => {
    const stretch = stretches[index];
    const texts = stretch
      ? card.series.map(({ values }) => readingOf(values[index] ?? null, card.format))
      : card.totals;
    legend.replaceChildren(...card.series.map((series, place) => reading(series, texts[place] ?? '')));
    when.textContent = stretch ? formatStretch(stretch) : '';
    plot.classList.toggle('pointed', stretch !== undefined);
    plot.style.setProperty('--at', String(index));
    plot.setAttribute('aria-valuenow', String(Math.max(0, index)));
    plot.setAttribute('aria-valuetext', spoken(stretch, card, texts));
  };
  read(-1);
  return { view, plot, read };
}

/**
 * @param {number | null} value
 * @param {(value: number) => string} format
 */
function readingOf(value, format) {
  return value === null ? '–' : format(value);
}

/**
 * @param {Series} series
 * @param {string} text
 */
function reading({ name, kind }, text) {
  return element('li', {}, element('i', { class: `key ${kind}` }), `${name} `, element('b', {}, text));
}

/**
 * @param {Stretch | undefined} stretch
 * @param {Card} card
 * @param {string[]} texts
 */
function spoken(stretch, { series, headline }, texts) {
  if (!stretch) return headline;
  return `${formatStretch(stretch)}: ${series.map(({ name }, place) => `${name} ${texts[place]}`).join(', ')}`;
}

/**
 * @param {HTMLElement} plot
 * @param {{ stretches: Stretch[], pointed: { index: number }, point: (index: number) => void, open: (stretch: Stretch) => void }} of
 */
function listen(plot, { stretches, pointed, point, open }) {
  const marks = plot.querySelector('.marks') ?? plot;
  const last = stretches.length - 1;
  plot.addEventListener('pointermove', ({ clientX }) => {
    const { left, width } = marks.getBoundingClientRect();
    point(Math.min(Math.max(Math.floor(((clientX - left) / width) * stretches.length), 0), last));
  });
  for (const leaving of ['pointerleave', 'blur']) plot.addEventListener(leaving, () => point(-1));
  plot.addEventListener('click', () => openAt(pointed.index));
  plot.addEventListener('keydown', (event) => {
    const next = keyed(event.key, pointed.index, last);
    if (next === null && event.key !== 'Enter') return;
    event.preventDefault();
    event.stopPropagation();
    if (next === null) openAt(pointed.index);
    else point(next);
  });

  /** @param {number} index */
  function openAt(index) {
    const stretch = stretches[index];
    if (stretch) open(stretch);
  }
}

/**
 * Where a key leads; null where it leads nowhere. Nothing is pointed at after the first Escape.
 * @param {string} key
 * @param {number} index
 * @param {number} last
 */
function keyed(key, index, last) {
  switch (key) {
    case 'ArrowLeft':
      return index === -1 ? last : Math.max(0, index - 1);
    case 'ArrowRight':
      return index === -1 ? 0 : Math.min(last, index + 1);
    case 'Home':
      return 0;
    case 'End':
      return last;
    case 'Escape':
      return index === -1 ? null : -1;
    default:
      return null;
  }
}
