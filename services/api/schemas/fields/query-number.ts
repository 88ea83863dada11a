import { z } from 'zod';

/** The highest sequence number an event can have. */
export const LARGEST_EVENT_NUMBER = 2 ** 31 - 1;

type Bounds = { min: number; max: number };

/** Reads a whole number in a query or a header, written in decimal digits only. */
export function queryInteger({ min, max }: Bounds) {
  return decimal(/^\d{1,15}$/, { min, max, what: 'a whole number' }).meta({
    type: 'integer',
    minimum: min,
    maximum: max,
  });
}

/** Reads a number with or without a fraction. */
export function queryNumber({ min, max }: Bounds) {
  return decimal(/^\d{1,15}(\.\d{1,9})?$/, { min, max, what: 'a number' }).meta({
    type: 'number',
    minimum: min,
    maximum: max,
  });
}

function decimal(digits: RegExp, { min, max, what }: Bounds & { what: string }) {
  const error = `give ${what} from ${min} to ${max}`;
  return z.string().regex(digits, error).transform(Number).pipe(z.number().min(min, error).max(max, error));
}
