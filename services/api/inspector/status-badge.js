import { element } from './element.js';

/** The statuses of a turn, in the order of its life, in words. */
export const STATUS_WORDS = {
  queued: 'Queued',
  in_progress: 'In progress',
  requires_action: 'Requires action',
  completed: 'Completed',
  incomplete: 'Incomplete',
  failed: 'Failed',
  cancelled: 'Cancelled',
};

/**
 * A status in words; what is no turn's status is its own word.
 * @param {string} status
 */
export function wordsOf(status) {
  return Object.entries(STATUS_WORDS).find(([known]) => known === status)?.[1] ?? status;
}

/**
 * A status in colour and in words; those of tool calls and deliveries have the same looks.
 * @param {string} status
 */
export function statusBadge(status) {
  return element('span', { class: `badge ${status}` }, wordsOf(status));
}
