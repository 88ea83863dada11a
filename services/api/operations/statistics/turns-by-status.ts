import { z } from 'zod';

const countOf = (what: string) => z.int().min(0).describe(`The number of turns that ${what}.`);

/** A number for each status of a turn. */
export const TurnsByStatus = z
  .object({
    ...{ queued: countOf('have not started'), in_progress: countOf('are running') },
    ...{ requires_action: countOf('wait for a client or a person'), completed: countOf('have an answer') },
    ...{
      incomplete: countOf('ended without a complete answer'),
      failed: countOf('failed'),
      cancelled: countOf('were cancelled'),
    },
  })
  .meta({
    id: 'TurnsByStatus',
    description: 'The number of turns for each status.',
    examples: [
      {
        ...{ queued: 0, in_progress: 1, requires_action: 0 },
        ...{ completed: 40, incomplete: 0, failed: 2, cancelled: 0 },
      },
    ],
  });
