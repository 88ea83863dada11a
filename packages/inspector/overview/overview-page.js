/**
 * @import { Card } from './chart-cards.js'
 * @import { FailureGroup } from './failure-groups.js'
 * @import { Part } from '../base/parts.js'
 * @import { Route } from '../route.js'
 */

import { call } from '../base/api.js';
import { notice } from '../base/controls.js';
import { element } from '../base/element.js';
import { keepParts, refusedPart } from '../base/parts.js';
import { keepFresh } from '../base/refresh.js';
import { formatDuration, formatRoundDuration, serverNow } from '../base/time.js';
import { formatCount, formatShort, STATUS_WORDS } from '../base/turn-text.js';
import { listHref } from '../route.js';
import { durationCeiling, roundCeiling } from './chart.js';
import { chartCards } from './chart-cards.js';
import { failureParts } from './failure-groups.js';
import { projectChoice, readProjects } from './project-choice.js';

/** @typedef {{ p50: number, p95: number } | null} Percentiles */
/** @typedef {keyof typeof STATUS_WORDS} Status */
/**
 * @typedef {{ from: string, to: string, precision: 'exact' | 'sampled' | 'at_least', turns: Record<Status, number>,
 *   duration_ms: Percentiles, queue_wait_ms: Percentiles, input_tokens: number, output_tokens: number }} Figures
 */
/** @typedef {Figures & { buckets: Figures[], failures: FailureGroup[] }} Statistics */

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** The ranges to choose from, and the length of a bucket in each: one that hours and days are made of. */
const RANGES = {
  '1h': { words: '1 hour', ms: HOUR, bucketMs: MINUTE },
  '24h': { words: '24 hours', ms: 24 * HOUR, bucketMs: 30 * MINUTE },
  '7d': { words: '7 days', ms: 7 * 24 * HOUR, bucketMs: 4 * HOUR },
};

const rangeNames = /** @type {(keyof typeof RANGES)[]} */ (Object.keys(RANGES));

const AGAIN_MS = 10_000;

/** A database that takes long to answer is asked less often: it is idle so many times longer than it worked for this page. */
const REST = 20;

/**
 * Shows what became of the turns of a range of time, and refreshes it while the page is visible.
 * @param {HTMLElement} page
 * @param {Route} route
 * @returns {() => void} leaves the page
 */
export function showOverview(page, { query }) {
  /** @type {Choice} */
  const choice = { range: rangeNamed(query.get('range')), project: query.get('project') };
  /** @type {string[] | null} */
  let projects = null;
  const head = () => ({ key: 'head', state: projects, make: () => overviewHead(choice, projects ?? []) });
  /** @type {Statistics | null} */
  let statistics = null;
  let restsUntil = 0;
  document.title = 'Overview · Pawl';
  keepParts(page, [head()]);

  const { again, stop } = keepFresh({
    everyMs: AGAIN_MS,
    read: async (signal) => {
      const askedAt = performance.now();
      [statistics, projects] = await Promise.all([
        call('GET', `/v1/statistics?${queryOf(choice)}`, { signal }),
        projects ?? readProjects(signal),
      ]);
      restsUntil = performance.now() + (performance.now() - askedAt) * REST;
    },
    show: (refused) => {
      const found = statistics ? overviewParts(statistics, choice, again) : [];
      keepParts(page, [head(), ...refusedPart(refused, again), ...found]);
    },
    // What a person points at stays until they are done.
    mayRead: () => performance.now() >= restsUntil && page.querySelector('.pointed') === null,
  });
  return stop;
}

/** What is shown: `project` is null for that of the key. @typedef {{ range: keyof typeof RANGES, project: string | null }} Choice */

/**
 * @param {string | null} name
 * @returns {keyof typeof RANGES}
 */
function rangeNamed(name) {
  return rangeNames.find((one) => one === name) ?? '24h';
}

/**
 * The range ends with the bucket that is under way, so that bars keep their place.
 * @param {Choice} choice
 */
function queryOf({ range, project }) {
  const { ms, bucketMs } = RANGES[range];
  const offset = new Date(serverNow()).getTimezoneOffset() * MINUTE;
  const to = Math.ceil((serverNow() - offset) / bucketMs) * bucketMs + offset;
  const [from, until] = [to - ms, to].map((at) => new Date(at).toISOString());
  const asked = { from: from ?? '', to: until ?? '', buckets: String(ms / bucketMs) };
  return new URLSearchParams({ ...asked, ...(project === null ? {} : { project }) });
}

/** @param {Choice} choice */
function hrefOf({ range, project }) {
  return `#/overview?${new URLSearchParams({ range, ...(project === null ? {} : { project }) })}`;
}

/**
 * @param {Choice} choice
 * @param {string[]} projects
 */
function overviewHead(choice, projects) {
  return element(
    'header',
    { class: 'overview-head' },
    element('h1', {}, 'Overview'),
    projectChoice(projects, choice.project, (project) => hrefOf({ ...choice, project })),
    element(
      'nav',
      { class: 'choices', 'aria-label': 'Range of time' },
      rangeNames.map((range) => {
        const current = range === choice.range && 'true';
        return element('a', { href: hrefOf({ ...choice, range }), 'aria-current': current }, RANGES[range].words);
      }),
    ),
  );
}

/**
 * @param {Statistics} statistics
 * @param {Choice} choice
 * @param {() => void} refresh
 * @returns {(Part | null)[]}
 */
function overviewParts(statistics, { project }, refresh) {
  const { buckets, failures, precision } = statistics;
  if (turnsOf(statistics) === 0) return [{ key: 'none', state: null, make: noneView }];
  const open = (/** @type {{ from: string, to: string }} */ { from, to }) => {
    if (project === null) location.hash = listHref({ created_after: from, created_before: to });
    else notice('Turns are listed for the project of the key only.');
  };
  return [
    { key: 'charts', state: buckets, make: () => chartCards(buckets, cardsOf(statistics), open) },
    precision === 'exact' ? null : { key: 'precision', state: precision, make: () => precisionView(precision) },
    ...failureParts(failures, { ...statistics, isOwn: project === null }, refresh),
  ];
}

/** @param {Figures} figures */
function turnsOf({ turns }) {
  return Object.values(turns).reduce((sum, count) => sum + count, 0);
}

function noneView() {
  return element(
    'section',
    { class: 'none' },
    element('h2', {}, 'No turns in this time'),
    element('p', {}, 'Choose a longer one, or start a turn.'),
    element('a', { class: 'button primary', href: '#/new' }, 'Start one'),
  );
}

const PRECISIONS = {
  sampled:
    'There are more turns than are looked at: the newest of each stretch were, and the rest is taken to be like them.',
  at_least: 'There are more turns than are counted: figures of busy stretches are at least so high.',
};

/** @param {'sampled' | 'at_least'} precision */
function precisionView(precision) {
  return element('p', { class: 'hint' }, PRECISIONS[precision]);
}

/** The statuses from the foot of a bar to its top: what needs a look is uppermost. @type {Status[]} */
const STACKED = ['completed', 'cancelled', 'incomplete', 'queued', 'in_progress', 'requires_action', 'failed'];

/**
 * @param {Statistics} statistics
 * @returns {Card[]}
 */
function cardsOf(statistics) {
  const { turns, buckets, input_tokens: taken, output_tokens: given } = statistics;
  const shown = STACKED.filter((status) => status === 'completed' || turns[status] > 0);
  const count = turnsOf(statistics);
  const ended = turns.completed + turns.incomplete + turns.failed;
  const failing = ended === 0 ? 0 : turns.failed / ended;
  const bars = { as: /** @type {const} */ ('bars'), ceiling: roundCeiling, format: formatShort };
  return [
    {
      ...{ ...bars, title: 'Turns', totals: shown.map((status) => formatCount(turns[status])) },
      headline: `${formatCount(count)}${turns.failed > 0 ? ` · ${formatPercent(failing)} failed` : ''}`,
      series: shown.map((status) => ({
        ...{ name: STATUS_WORDS[status], kind: status },
        values: buckets.map((bucket) => bucket.turns[status]),
      })),
    },
    {
      ...{ ...bars, title: 'Tokens', totals: [taken, given].map(formatShort) },
      headline: `${formatShort(taken)} in · ${formatShort(given)} out`,
      series: [
        { name: 'In', kind: 'taken', values: buckets.map((bucket) => bucket.input_tokens) },
        { name: 'Out', kind: 'given', values: buckets.map((bucket) => bucket.output_tokens) },
      ],
    },
    timesCard('Duration', statistics, 'duration_ms'),
    timesCard('Queue wait', statistics, 'queue_wait_ms'),
  ];
}

/**
 * @param {string} title
 * @param {Statistics} statistics
 * @param {'duration_ms' | 'queue_wait_ms'} what
 * @returns {Card}
 */
function timesCard(title, statistics, what) {
  const total = statistics[what];
  const known = (/** @type {'p50' | 'p95'} */ part) => ({
    ...{ name: part === 'p50' ? 'Median' : 'p95', kind: `${what} ${part}` },
    values: statistics.buckets.map((bucket) => bucket[what]?.[part] ?? null),
  });
  const totals = [total?.p50, total?.p95].map((ms) => (ms === undefined ? '–' : formatDuration(ms)));
  return {
    ...{ title, as: 'lines', ceiling: durationCeiling, format: formatRoundDuration, totals },
    headline: total === null ? 'None yet' : `${totals[0]} median · ${totals[1]} p95`,
    series: [known('p50'), known('p95')],
  };
}

/** @param {number} part */
function formatPercent(part) {
  return `${(part * 100).toLocaleString('en', { maximumSignificantDigits: 2 })} %`;
}
