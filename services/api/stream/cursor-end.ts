import { RequestRefused } from '#core/failure.ts';

/** A number that a client names, and the last number of the turn or response `id`. */
type Cursor = { param: string; given: number; last: number; id: string };

/**
 * Refuses a number beyond the last number. The client has it from another source, or from before a failover that lost
 * commits.
 */
export function cursorBeyondEnd({ param, given, last, id }: Cursor): RequestRefused {
  const message = `${param} is ${given}, but the last number of ${id} is ${last}. Read again from ${last} or before.`;
  return new RequestRefused(400, 'cursor_beyond_end', message, param);
}
