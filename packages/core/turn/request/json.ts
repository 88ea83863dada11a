import { z } from 'zod';

/** Any JSON value; what is not there at all is no value. (`z.json()` sends the OpenAPI generator round in circles.) */
export const Json = z.unknown().refine((value) => value !== undefined, 'give a JSON value');

/** A whole number within bounds, which a caller may leave out. */
export function wholeNumber(least: number, most: number) {
  return z.int().min(least).max(most).nullish();
}
