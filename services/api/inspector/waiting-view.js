import { element } from './element.js';
import { tellClock, tellDuration } from './tell-time.js';

/** @typedef {{ for: string, since?: string | null, until?: string | null }} Waiting */

const WORDS = {
  provider: 'Waits for its provider, which asked everybody to wait',
  retry: 'Waits before it is tried again',
  slot: 'Waits for a free place at a worker',
  turn: 'Waits for the turn before it in its conversation',
  client: 'Waits for its client to answer a call',
  approval: 'Waits for a person to allow a call',
};

/**
 * What a turn says it waits for; null where it waits for nothing, or its API does not tell.
 * @param {object} turn
 * @returns {Waiting | null}
 */
export function waitingOf(turn) {
  const { waiting = null } = /** @type {{ waiting?: Waiting | null }} */ (turn);
  return waiting;
}

/**
 * Why a turn stands still, in one line.
 * @param {Waiting} waiting
 */
export function waitingView({ for: whom, since, until }) {
  const words = Object.entries(WORDS).find(([known]) => known === whom)?.[1] ?? `Waits for ${whom}`;
  const lasts = since && until && Date.parse(until) > Date.parse(since);
  const told = [
    words,
    until && `until ${tellClock(until).replace(/\.\d+$/, '')}`,
    lasts && `${tellDuration(Date.parse(until) - Date.parse(since))} in all`,
  ];
  return element('p', { class: 'stands-still', role: 'status' }, told.filter(Boolean).join(' · '));
}
