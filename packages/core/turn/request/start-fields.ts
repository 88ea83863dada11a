import { z } from 'zod';
import { wholeNumber } from './json.ts';
import { moment } from './moment.ts';

/** A minute. */
const LONGEST_DEBOUNCE_MS = 60_000;

/** The policies for the active turn with which a request always starts a new turn. */
export const startPolicies = ['enqueue', 'reject', 'interrupt'] as const;

/** The fields that decide about an input while another turn of the conversation is active. */
export const joiningFields = {
  on_active_turn: z
    .enum([...startPolicies, 'steer', 'merge'])
    .nullish()
    .describe(
      'If another turn of the conversation is active: wait for it (`enqueue`, the default), fail with 409 (`reject`), cancel it (`interrupt`), add the input to it (`steer`), or add the input to the last turn that has not begun (`merge`). With `steer` and `merge` the answer is 200 and the turn that received the input.',
    ),
  debounce_ms: wholeNumber(1, LONGEST_DEBOUNCE_MS).describe(
    'With `merge` only: milliseconds from the last merged input to the start of the turn. The turn starts at most ten times as long after the first input.',
  ),
};

/** A year. */
const LONGEST_DELAY_SECONDS = 31_536_000;

export const delayFields = {
  start_at: moment
    .nullish()
    .describe(
      'The earliest start of the turn, within a year. Until then other turns do not wait for it. A time in the past means now.',
    ),
  delay_seconds: wholeNumber(0, LONGEST_DELAY_SECONDS).describe(
    'Seconds from now until the earliest start. Give `start_at` or `delay_seconds`. Requires `on_active_turn: "enqueue"` or no `on_active_turn`.',
  ),
};
