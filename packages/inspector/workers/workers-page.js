/** @import { Part } from '../base/parts.js' */

import { call } from '../base/api.js';
import { element } from '../base/element.js';
import { keepParts, refusedPart } from '../base/parts.js';
import { keepFresh } from '../base/refresh.js';
import { formatAge, formatDateTime, formatRoundDuration, serverNow } from '../base/time.js';
import { formatCount } from '../base/turn-text.js';
import { turnHref } from '../route.js';

/**
 * @typedef {{ id: string, started_at: string, last_seen_at: string, concurrency: number,
 *   steps: { turn_id: string, step: string, since: string }[] }} Worker
 */
/**
 * @typedef {{ name: string, provider: string | null, waiting: number, active: number,
 *   rate_limited_until: string | null }} Queue
 */

const AGAIN_MS = 2_000;

/**
 * Shows the workers that are alive with the steps they are at, and the queues, and refreshes both while the page is visible.
 * @param {HTMLElement} page
 * @returns {() => void} leaves the page
 */
export function showWorkers(page) {
  const head = { key: 'head', state: null, make: () => element('h1', {}, 'Workers') };
  /** @type {Part[]} */
  let found = [];
  document.title = 'Workers · Pawl';
  keepParts(page, [head]);

  async function read(/** @type {AbortSignal} */ signal) {
    /** @type {[{ data: Worker[] }, { data: Queue[] }]} */
    const [workers, queues] = await Promise.all([
      call('GET', '/v1/workers', { signal }),
      call('GET', '/v1/queues', { signal }),
    ]);
    found = [workersPart(workers.data), queuesPart(queues.data)];
  }
  const { again, stop } = keepFresh({
    everyMs: AGAIN_MS,
    read,
    show: (refused) => {
      if (refused?.status === 403) keepParts(page, [head, { key: 'hidden', state: null, make: hiddenView }]);
      else keepParts(page, [head, ...refusedPart(refused, again), ...found]);
    },
  });
  return stop;
}

function hiddenView() {
  return element(
    'p',
    { class: 'meta' },
    'Workers and queues are shared by all projects: they are shown to keys with the scope ',
    element('code', {}, 'admin'),
    ', which yours has not.',
  );
}

/**
 * @param {Worker[]} workers
 * @returns {Part}
 */
function workersPart(workers) {
  const atWork = workers.reduce((sum, { steps }) => sum + steps.length, 0);
  return {
    key: 'workers',
    state: [workers, second()],
    make: () =>
      element(
        'section',
        { class: 'workers', 'aria-label': 'Workers' },
        element('p', { class: 'headline' }),
        element('ol', {}),
      ),
    refresh: (made) => {
      const line = made.querySelector('.headline');
      if (line) line.textContent = headlineOf(workers.length, atWork);
      const list = made.querySelector('ol');
      if (list) keepParts(list, workers.map(workerPart));
    },
  };
}

/**
 * @param {number} count
 * @param {number} atWork
 */
function headlineOf(count, atWork) {
  if (count === 0) return 'No worker is alive: turns wait until one is.';
  return `${stepCount(atWork)} at work · ${formatCount(count)} ${count === 1 ? 'worker' : 'workers'}`;
}

/** @param {number} count */
function stepCount(count) {
  return `${formatCount(count)} ${count === 1 ? 'step' : 'steps'}`;
}

/**
 * @param {Worker} worker
 * @returns {Part}
 */
function workerPart({ id, started_at: startedAt, last_seen_at: seenAt, concurrency, steps }) {
  const seen = formatAge(serverNow() - Date.parse(seenAt));
  const make = () =>
    element(
      'li',
      { class: 'worker' },
      element(
        'div',
        { class: 'worker-head' },
        element('code', {}, id),
        element(
          'span',
          { class: 'meta' },
          `${stepCount(steps.length)} · at most ${formatCount(concurrency)} of each provider`,
        ),
        element('span', { class: 'meta', title: formatDateTime(startedAt) }, `up ${lasting(startedAt)}`),
        element('span', { class: 'meta' }, `seen ${seen}`),
      ),
      element('progress', {
        max: concurrency,
        value: Math.min(steps.length, concurrency),
        'aria-label': `How busy ${id} is`,
      }),
      steps.length > 0 && element('ul', { class: 'steps' }, longest(steps).map(stepView)),
      steps.length > MAX_STEPS && element('p', { class: 'meta' }, `and ${formatCount(steps.length - MAX_STEPS)} more`),
    );
  return { key: id, state: [seen, concurrency, steps, second()], make };
}

/** Steps of a worker that are shown; those that last longest. */
const MAX_STEPS = 50;

/** @param {Worker['steps']} steps */
function longest(steps) {
  return steps.toSorted((a, b) => Date.parse(a.since) - Date.parse(b.since)).slice(0, MAX_STEPS);
}

/** @param {Worker['steps'][number]} step */
function stepView({ turn_id: id, step, since }) {
  return element(
    'li',
    {},
    element(
      'a',
      { href: turnHref(id), class: 'step', 'data-key': `${id} ${step}` },
      element('code', {}, id),
      element('span', {}, stepWords(step)),
      element('span', { class: 'took' }, lasting(since)),
    ),
  );
}

/**
 * A step in words: `r2` is round 2, `b2` the tool calls it asked for.
 * @param {string} step
 */
function stepWords(step) {
  const [, kind, number] = /^([rb])(\d+)$/.exec(step) ?? [];
  if (kind === undefined) return step;
  return kind === 'r' ? `round ${number}` : `tools of round ${number}`;
}

/**
 * @param {Queue[]} queues
 * @returns {Part}
 */
function queuesPart(queues) {
  return {
    key: 'queues',
    state: [queues, second()],
    make: () =>
      element(
        'section',
        { class: 'queues', 'aria-label': 'Queues' },
        element('h2', {}, 'Queues'),
        element(
          'table',
          {},
          element(
            'thead',
            {},
            element(
              'tr',
              {},
              ['Queue', 'Provider', 'Waiting', 'Active', ''].map((name) => element('th', { scope: 'col' }, name)),
            ),
          ),
          element('tbody', {}),
        ),
      ),
    refresh: (made) => {
      const body = made.querySelector('tbody');
      if (body) keepParts(body, queues.map(queuePart));
    },
  };
}

/**
 * @param {Queue} queue
 * @returns {Part}
 */
function queuePart({ name, provider, waiting, active, rate_limited_until: until }) {
  const left = until === null ? 0 : Date.parse(until) - serverNow();
  const note = left > 0 ? `rate-limited for ${formatRoundDuration(Math.ceil(left / 1000) * 1000)}` : '';
  const make = () =>
    element(
      'tr',
      {},
      element('th', { scope: 'row' }, element('code', {}, name)),
      element('td', {}, provider ?? '–'),
      element('td', { class: waiting > 0 && 'some' }, formatCount(waiting)),
      element('td', { class: active > 0 && 'some' }, formatCount(active)),
      element('td', { class: 'limited' }, note),
    );
  return { key: name, state: [provider, waiting, active, note], make };
}

/** @param {string} since */
function lasting(since) {
  return formatRoundDuration(Math.max(0, Math.floor((serverNow() - Date.parse(since)) / 1000) * 1000));
}

function second() {
  return Math.floor(serverNow() / 1000);
}
