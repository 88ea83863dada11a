import { z } from 'zod';

/** Every refusal and failure of the API. */
const ErrorBody = z
  .object({
    error: z.object({
      type: z.enum([
        'invalid_request_error',
        'authentication_error',
        'not_found_error',
        'conflict_error',
        'rate_limit_error',
        'server_error',
      ]),
      code: z.string(),
      message: z.string(),
      param: z.string().nullable(),
    }),
  })
  .meta({ id: 'Error', description: 'What went wrong and what to do about it; `param` is the path of the field.' });

/** The answers every route may give besides its own. */
export const refusals = {
  400: { description: 'A key or a value is not valid', content: { 'application/json': { schema: ErrorBody } } },
  401: { description: 'No valid key', content: { 'application/json': { schema: ErrorBody } } },
  404: { description: 'There is none of that id', content: { 'application/json': { schema: ErrorBody } } },
  409: { description: 'It cannot be done as things stand', content: { 'application/json': { schema: ErrorBody } } },
  503: { description: 'The database is away; try again', content: { 'application/json': { schema: ErrorBody } } },
};
