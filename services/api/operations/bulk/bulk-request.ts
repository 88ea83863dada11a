import { z } from 'zod';
import { BULK_ACTIONS } from '#core/checkpoint/rows/bulk.ts';
import { BulkId, TurnId } from '../../schemas/fields/id.ts';
import { Time } from '../../schemas/fields/time.ts';
import { TurnFilter } from '../../turns/schemas/turn-filter.ts';

const action = z.enum(BULK_ACTIONS);
const matched = z.int().min(0).describe('How many turns match.');

/** What is to be done, and with which turns. */
export const BulkRequest = z
  .strictObject({
    action: action.describe('What is done with each turn, as by the call for it alone.'),
    filter: TurnFilter,
    dry_run: z.boolean().optional().describe('Only count the turns that match: nothing is done, and nothing kept.'),
  })
  .meta({
    id: 'BulkRequest',
    description: 'What is to be done, and with which turns.',
    examples: [{ action: 'retry', filter: { status: 'failed', error_code: 'provider_overloaded' } }],
  });

/** A bulk as callers see it. */
export const Bulk = z
  .object({
    id: BulkId,
    object: z.literal('bulk'),
    action: action.describe('What is done with each turn.'),
    filter: z.record(z.string(), z.unknown()).describe('Which turns are meant, as it was asked.'),
    status: z.enum(['in_progress', 'completed']).describe('Whether workers still have turns of it to treat.'),
    matched: matched.describe('How many turns matched when it was asked: these and no others are meant.'),
    done: z.int().min(0).describe('With how many it was done.'),
    failed: z.int().min(0).describe('How many the call for one turn would have refused, or found no more.'),
    left: z.int().min(0).describe('How many are left.'),
    errors: z
      .array(
        z.object({
          turn_id: TurnId,
          code: z.string().describe('The code that the call for this turn alone would have been refused with.'),
        }),
      )
      .describe('The first 20 of those that failed.'),
    created_at: Time,
    completed_at: Time.nullable().describe('When the last of its turns was treated; null before.'),
  })
  .meta({
    id: 'Bulk',
    description: 'One action on many turns.',
    examples: [
      {
        ...{ id: 'bulk_01kagz8m4pfvbte2n5q7rys3wx', object: 'bulk', action: 'retry', filter: { status: 'failed' } },
        ...{ status: 'in_progress', matched: 240, done: 80, failed: 1, left: 159 },
        errors: [{ turn_id: 'turn_01kagz8m4pfvbte2n5q7rys3wx', code: 'turn_not_failed' }],
        ...{ created_at: '2026-11-20T10:00:00.082Z', completed_at: null },
      },
    ],
  });

/** What a bulk would mean. */
export const BulkCount = z.object({ object: z.literal('bulk'), dry_run: z.literal(true), matched }).meta({
  id: 'BulkCount',
  description: 'How many turns a bulk would mean.',
  examples: [{ object: 'bulk', dry_run: true, matched: 240 }],
});
