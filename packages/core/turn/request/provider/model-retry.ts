import { z } from 'zod';
import { wholeNumber } from '../json.ts';

/** The most attempts of a model request that a turn may set. */
const MAX_ATTEMPTS = 20;

/** Attempts of each request to a model, and timeouts of its reply, in place of the operator's values. */
export const ModelRetry = z.strictObject({
  max_attempts: wholeNumber(1, MAX_ATTEMPTS).describe(
    'Attempts of each request to a model, 1 to 20. 5 by default. Waiting for a rate limit does not count as an attempt.',
  ),
  timeout_ms: z
    .int()
    .min(1)
    .nullish()
    .describe('Maximum milliseconds until a reply is complete. The operator sets the default and the maximum.'),
  idle_timeout_ms: z
    .int()
    .min(1)
    .nullish()
    .describe('Maximum milliseconds between two parts of a reply. The operator sets the default and the maximum.'),
});
type Given = z.infer<typeof ModelRetry>;

/** Model retry without nulls, as a turn stores it. */
export type ModelRetry = { [Field in keyof Given]: NonNullable<Given[Field]> };
