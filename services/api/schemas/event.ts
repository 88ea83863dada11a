import { z } from 'zod';

/** A durable event; which further fields it has depends on its type. */
export const Event = z
  .looseObject({
    type: z.enum([
      'turn.queued',
      'turn.started',
      'round.completed',
      'tool_call.completed',
      'step.retrying',
      'turn.requires_action',
      'turn.resumed',
      'turn.completed',
      'turn.incomplete',
      'turn.failed',
      'turn.cancelled',
    ]),
    turn_id: z.string(),
    id: z.string(),
    sequence_number: z.number().int(),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'Event', description: 'What happened to a turn; numbered from 1 without gaps.' });
