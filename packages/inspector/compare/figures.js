/**
 * @import { TurnResource } from '#core/turn/resource/turn.ts'
 * @import { Part } from '../base/parts.js'
 */
import { element } from '../base/element.js';
import { formatDuration, serverNow } from '../base/time.js';
import { formatCount, formatUsd } from '../base/turn-text.js';

/** @typedef {{ name: string, of: (turn: TurnResource) => number | null, format: (value: number) => string }} Figure */

/** @type {Figure[]} */
const FIGURES = [
  { name: 'Time', of: lastedMs, format: formatDuration },
  { name: 'Rounds', of: ({ round }) => round, format: formatCount },
  { name: 'Tool calls', of: ({ usage }) => usage.tool_calls, format: formatCount },
  { name: 'Tokens in', of: ({ usage }) => usage.input_tokens, format: formatCount },
  { name: 'Tokens out', of: ({ usage }) => usage.output_tokens, format: formatCount },
  { name: 'Cost', of: ({ usage }) => usage.cost_usd, format: formatUsd },
];

/** @param {TurnResource} turn */
function lastedMs({ started_at: from, completed_at: to }) {
  return from === null ? null : (to === null ? serverNow() : Date.parse(to)) - Date.parse(from);
}

/**
 * The figures of turns in a table, a column for each, with how the last differs from the first.
 * @param {TurnResource[]} turns
 * @returns {Part}
 */
export function figuresTable(turns) {
  const rows = FIGURES.map((figure) => ({ figure, values: turns.map(figure.of) }));
  const make = () =>
    element(
      'table',
      { class: 'figures' },
      element(
        'thead',
        {},
        element(
          'tr',
          {},
          ['', ...turns.map(({ model }) => model), 'Change'].map((name) => element('th', { scope: 'col' }, name)),
        ),
      ),
      element(
        'tbody',
        {},
        rows.map(({ figure, values }) =>
          element(
            'tr',
            {},
            element('th', { scope: 'row' }, figure.name),
            values.map((value) => element('td', {}, value === null ? '–' : figure.format(value))),
            element('td', { class: 'meta' }, differenceOf(values)),
          ),
        ),
      ),
    );
  return { key: 'figures', state: rows.map(({ values }) => values), make };
}

/** @param {(number | null)[]} values */
function differenceOf(values) {
  const [before, after] = [values[0], values.at(-1)];
  if (typeof before !== 'number' || typeof after !== 'number' || before === 0) return '–';
  if (before === after) return 'equal';
  const percent = ((after - before) / before) * 100;
  return `${percent > 0 ? '+' : '−'}${Math.abs(percent).toLocaleString('en', { maximumFractionDigits: 0 })} %`;
}
