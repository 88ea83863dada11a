import { RequestRefused } from '#core/failure.ts';

/** A number that a client says it has, and the last that there is of the turn or response `id`. */
type Cursor = { param: string; given: number; last: number; id: string };

/** Refuses a number beyond the last: the client has it from elsewhere, or from before a failover that lost commits. */
export function cursorBeyondEnd({ param, given, last, id }: Cursor): RequestRefused {
  const message = `${param} is ${given}, but the last number of ${id} is ${last}. Read again from ${last} or before.`;
  return new RequestRefused(400, 'cursor_beyond_end', message, param);
}
