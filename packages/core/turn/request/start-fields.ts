import { z } from 'zod';
import { wholeNumber } from './json.ts';
import { moment } from './moment.ts';

/** A minute. */
const LONGEST_DEBOUNCE_MS = 60_000;

/** What may become of the active turn, by a request that starts one in any case. */
export const startPolicies = ['enqueue', 'reject', 'interrupt'] as const;

/** The fields that say what becomes of an input while another turn of the conversation is active. */
export const joiningFields = {
  on_active_turn: z
    .enum([...startPolicies, 'steer', 'merge'])
    .nullish()
    .describe(
      'While another turn of the conversation is active: wait for it (`enqueue`, the default), 409, cancel it, join it, ' +
        'or join the last one that has not begun. An input that joins is answered 200 with the turn that it has joined.',
    ),
  debounce_ms: wholeNumber(1, LONGEST_DEBOUNCE_MS).describe(
    'With `merge` only: the turn begins so long after the last input that was merged into it, and at most ten times as long ' +
      'after the first.',
  ),
};

/** A year. */
const LONGEST_DELAY_SECONDS = 31_536_000;

/** The fields that say when a turn may be begun. */
export const delayFields = {
  start_at: moment
    .nullish()
    .describe(
      'When the turn may be begun at the earliest, within a year: until then it holds up no other turn. What has passed is now.',
    ),
  delay_seconds: wholeNumber(0, LONGEST_DELAY_SECONDS).describe(
    'The same, counted from now. Give one of the two, with `on_active_turn` left out or `enqueue`.',
  ),
};
