/**
 * @import { ScheduleResource } from '#core/turn/resource/schedule.ts'
 * @import { Part } from '../base/parts.js'
 */
import { call } from '../base/api.js';
import { element } from '../base/element.js';
import { keepParts, refusedPart } from '../base/parts.js';
import { keepFresh } from '../base/refresh.js';
import { scheduleForm } from './schedule-form.js';
import { schedulePart } from './schedule-view.js';

const AGAIN_MS = 3_000;

/**
 * Shows the schedules, with when each starts its next turns and what came of its last ones, and a form for another.
 * @param {HTMLElement} page
 * @returns {() => void} leaves the page
 */
export function showSchedules(page) {
  /** @type {ScheduleResource[] | null} */
  let schedules = null;
  document.title = 'Schedules · Pawl';

  const { again, stop } = keepFresh({
    everyMs: AGAIN_MS,
    read: async (signal) => {
      /** @type {{ data: ScheduleResource[] }} */
      const { data } = await call('GET', '/v1/schedules?limit=100', { signal });
      schedules = data;
    },
    show: (refused) => {
      keepParts(page, [headPart(again), ...refusedPart(refused, again), schedules && listPart(schedules, again)]);
    },
  });
  return stop;
}

/**
 * @param {() => Promise<void>} refresh
 * @returns {Part}
 */
function headPart(refresh) {
  const make = () =>
    element(
      'header',
      { class: 'schedules-head' },
      element('h1', {}, 'Schedules'),
      element(
        'details',
        { class: 'fold', 'data-key': 'new-schedule' },
        element('summary', {}, 'New schedule'),
        scheduleForm(refresh),
      ),
    );
  return { key: 'head', state: null, make };
}

/**
 * @param {ScheduleResource[]} schedules
 * @param {() => Promise<void>} refresh
 * @returns {Part}
 */
function listPart(schedules, refresh) {
  if (schedules.length === 0) return { key: 'none', state: null, make: noneView };
  return {
    key: 'schedules',
    state: [schedules, Math.floor(Date.now() / 1000)],
    make: () => element('ol', { class: 'schedules', 'aria-label': 'Schedules' }),
    refresh: (made) =>
      keepParts(
        made,
        schedules.map((schedule) => schedulePart(schedule, refresh)),
      ),
  };
}

function noneView() {
  return element(
    'section',
    { class: 'none' },
    element('h2', {}, 'No schedules yet'),
    element('p', {}, 'A schedule starts a turn again and again: every morning, or every few minutes.'),
  );
}
