import { z } from 'zod';
import { wholeNumber } from '../json.ts';

/** Attempts of one request to a model that a turn may ask for. */
const MAX_ATTEMPTS = 20;

/** Attempts of each request to a model, and timeouts of its reply, in place of the operator's values. */
export const ModelRetry = z.strictObject({
  max_attempts: wholeNumber(1, MAX_ATTEMPTS).describe(
    'Attempts of each request to a model, 1 to 20. 5 by default. Waiting for a rate limit uses none.',
  ),
  timeout_ms: z
    .int()
    .min(1)
    .nullish()
    .describe('Milliseconds within which a reply must be complete. The operator sets the default and the limit.'),
  idle_timeout_ms: z
    .int()
    .min(1)
    .nullish()
    .describe('Milliseconds for which a reply may be silent. The operator sets the default and the limit.'),
});
type Given = z.infer<typeof ModelRetry>;

/** The same without nulls, as a turn keeps it. */
export type ModelRetry = { [Field in keyof Given]: NonNullable<Given[Field]> };
