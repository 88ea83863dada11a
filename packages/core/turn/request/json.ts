import { z } from 'zod';

/** Any JSON value; what is not there at all is no value. (`z.json()` sends the OpenAPI generator round in circles.) */
export const Json = z.unknown().refine((value) => value !== undefined, 'give a JSON value');
