import { z } from 'zod';

const PATTERN = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+ -]\d\d:\d\d))?$/;
const WHAT = 'give a date (2026-11-20), or a time in RFC 3339 (2026-11-20T10:00:00Z)';

/**
 * A moment in a query, in ms since 1970: a time with its offset, or a date, which begins at midnight in UTC. A `+` that was not
 * escaped came as a space.
 */
export function queryTime() {
  const moment = z
    .string()
    .regex(PATTERN, WHAT)
    .transform((text) => Date.parse(text.replace(' ', '+')));
  return moment.pipe(z.number(WHAT).int(WHAT)).meta({ type: 'string', examples: ['2026-11-20T10:00:00Z'] });
}
