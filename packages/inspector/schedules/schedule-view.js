/**
 * @import { ScheduleResource } from '#core/turn/resource/schedule.ts'
 * @import { Part } from '../base/parts.js'
 */
import { call, send } from '../base/api.js';
import { actionButton, notice } from '../base/controls.js';
import { askFirst } from '../base/dialog.js';
import { codeBlock, element } from '../base/element.js';
import { formatAge, formatDateTime, formatDuration, serverNow } from '../base/time.js';
import { conversationHref, turnHref } from '../route.js';
import { planWords } from './plan-words.js';

/**
 * One schedule: its plan, what it asks, when it starts its next turns, and what came of the last ones.
 * @param {ScheduleResource} schedule
 * @param {() => Promise<void>} refresh
 * @returns {Part}
 */
export function schedulePart(schedule, refresh) {
  const next = schedule.next[0] ? formatIn(Date.parse(schedule.next[0]) - serverNow()) : null;
  return {
    key: schedule.id,
    state: [schedule, next],
    make: () => scheduleView(schedule, refresh),
  };
}

/**
 * @param {ScheduleResource} schedule
 * @param {() => Promise<void>} refresh
 */
function scheduleView(schedule, refresh) {
  const { id, enabled, turn, next, last, conversation_id: conversationId, if_missed: ifMissed } = schedule;
  return element(
    'li',
    { class: `schedule ${enabled ? '' : 'disabled'}` },
    element(
      'div',
      { class: 'schedule-head' },
      element('h2', {}, planWords(schedule)),
      enabledSwitch(schedule, refresh),
      actionButton('Delete', () => askDelete(id, refresh), { class: 'quiet danger', 'data-key': `delete ${id}` }),
    ),
    element('p', { class: 'title' }, inputWords(turn.input)),
    element(
      'p',
      { class: 'meta facts-line' },
      element('code', {}, id),
      turn.model && element('span', {}, turn.model),
      conversationId && element('a', { href: conversationHref(conversationId) }, 'one conversation'),
      element('span', {}, ifMissed === 'skip' ? 'skips what was missed' : 'makes up for what was missed, once'),
    ),
    timesView(next, enabled),
    lastView(last),
    element(
      'details',
      { class: 'fold', 'data-key': `what ${id}` },
      element('summary', {}, 'What it starts'),
      codeBlock(JSON.stringify(turn, null, 2), 'The turn it starts'),
    ),
  );
}

/**
 * @param {ScheduleResource} schedule
 * @param {() => Promise<void>} refresh
 */
function enabledSwitch({ id, enabled }, refresh) {
  const change = async () => {
    await call('PATCH', `/v1/schedules/${id}`, { body: { enabled: !enabled } });
    await refresh();
  };
  const words = enabled ? 'Enabled' : 'Disabled';
  return actionButton(words, change, {
    class: 'switch',
    role: 'switch',
    'aria-checked': String(enabled),
    'data-key': id,
  });
}

/** @param {ScheduleResource['turn']['input']} input */
function inputWords(input) {
  if (typeof input === 'string') return input;
  const { content = '' } = input.findLast(({ role }) => role === 'user') ?? {};
  return typeof content === 'string'
    ? content
    : content.map((part) => ('text' in part ? part.text : `[${part.type}]`)).join(' ');
}

/**
 * @param {string[]} next
 * @param {boolean} enabled
 */
function timesView(next, enabled) {
  const [first, ...later] = next;
  if (!first)
    return element(
      'p',
      { class: 'meta' },
      enabled ? 'It starts no more turns.' : 'It starts none while it is disabled.',
    );
  return element(
    'p',
    { class: 'next', title: later.map(formatDateTime).join('\n') },
    element('b', {}, `Next ${formatIn(Date.parse(first) - serverNow())}`),
    element('span', { class: 'meta' }, [first, ...later.slice(0, 2)].map(formatDateTime).join(' · ')),
  );
}

/** @param {number} ms */
function formatIn(ms) {
  return ms <= 0
    ? 'now'
    : `in ${formatDuration(Math.max(1_000, Math.round(ms / 1_000) * 1_000)).replace(/\.0+ s$/, ' s')}`;
}

/** @param {ScheduleResource['last']} last */
function lastView(last) {
  if (last.length === 0) return element('p', { class: 'meta' }, 'It has started no turn yet.');
  return element(
    'ul',
    { class: 'firings', 'aria-label': 'Last turns' },
    last.map(({ planned_at: at, turn_id: turnId, error }) => {
      const when = element(
        'time',
        { datetime: at, title: formatDateTime(at) },
        formatAge(serverNow() - Date.parse(at)),
      );
      if (turnId)
        return element('li', {}, element('a', { class: 'firing', href: turnHref(turnId), 'data-key': at }, when));
      return element('li', { class: 'firing missed', title: error?.message }, when, element('code', {}, error?.code));
    }),
  );
}

/**
 * @param {string} id
 * @param {() => Promise<void>} refresh
 */
function askDelete(id, refresh) {
  return askFirst({
    title: 'Delete this schedule?',
    texts: ['It starts no more turns. Those that it started stay.'],
    action: 'Delete it',
    isDanger: true,
    work: async () => {
      await send('DELETE', `/v1/schedules/${id}`);
      notice('Deleted.');
      await refresh();
    },
  });
}
