import { z } from 'zod';

/** Any JSON value. `undefined` is not a JSON value. (`z.json()` makes the OpenAPI generator recurse endlessly.) */
export const Json = z.unknown().refine((value) => value !== undefined, 'give a JSON value');

/** Returns the schema of an optional whole number within bounds. */
export function wholeNumber(least: number, most: number) {
  return z.int().min(least).max(most).nullish();
}
