import { z } from 'zod';
import { Json } from '#core/turn/json.ts';

/** Why a call brought no result, in the contract's categories. */
export const ToolErrorBody = z
  .strictObject({
    category: z.enum([
      'invalid_arguments',
      'authentication_failed',
      'rate_limited',
      'resource_not_found',
      'execution_timeout',
      'network_error',
      'permission_denied',
      'cancelled',
      'outcome_unknown',
      'unknown',
    ]),
    message: z.string().min(1),
    details: z.record(z.string(), Json).optional(),
  })
  .meta({ id: 'ToolError', description: 'Why a call brought no result; the model reads it too.' });
