import { element } from '../base/element.js';
import { formatDateTime, formatDuration, formatTimeOfDay, serverNow } from '../base/time.js';

/** @typedef {{ for: string, since?: string | null, until?: string | null }} Waiting */

const WORDS = {
  provider: 'Waits for its provider, which is rate-limited',
  retry: 'Waits before it is tried again',
  slot: 'Waits for a free worker',
  project_quota: 'Waits for a place of its project: it has as many turns at work as it may',
  start_at: 'Waits for the time at which it starts',
  turn: 'Waits for the turn before it in its conversation',
  client: 'Waits for its client to answer a call',
  approval: 'Waits for a person to allow a call',
};

const DAY_MS = 86_400_000;

/**
 * What a turn waits for; null where it waits for nothing, or the API does not report it.
 * @param {object} turn
 * @returns {Waiting | null}
 */
export function waitingOf(turn) {
  const { waiting = null } = /** @type {{ waiting?: Waiting | null }} */ (turn);
  return waiting;
}

/**
 * Why a turn waits, in one line.
 * @param {Waiting} waiting
 */
export function waitingView({ for: whom, since, until }) {
  const words = Object.entries(WORDS).find(([known]) => known === whom)?.[1] ?? `Waits for ${whom}`;
  const lasts = since && until && Date.parse(until) > Date.parse(since);
  const texts = [
    words,
    until && `until ${formatUntil(until)}`,
    lasts && `${formatDuration(Date.parse(until) - Date.parse(since))} in all`,
  ];
  return element('p', { class: 'stands-still', role: 'status' }, texts.filter(Boolean).join(' · '));
}

/** @param {string} until */
function formatUntil(until) {
  if (Date.parse(until) - serverNow() > DAY_MS) return formatDateTime(until);
  return formatTimeOfDay(until).replace(/\.\d+$/, '');
}
