import { z } from 'zod';

/** One event sent, or to be sent, to one URL. */
export const Delivery = z
  .object({
    id: z.string(),
    object: z.literal('delivery'),
    event_id: z.string(),
    type: z.string(),
    url: z.string(),
    status: z.enum(['pending', 'delivered', 'failed']),
    attempts: z.int(),
    last_status_code: z.int().nullable(),
    last_error: z.string().nullable(),
    next_attempt_at: z.string().nullable(),
    created_at: z.string(),
    delivered_at: z.string().nullable(),
  })
  .meta({ id: 'Delivery', description: 'One event sent to one webhook endpoint.' });
