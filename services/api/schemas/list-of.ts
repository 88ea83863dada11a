import { z } from 'zod';

/** A page of a list. */
export function listOf<Item extends z.ZodType>(item: Item) {
  return z.object({
    object: z.literal('list'),
    data: z.array(item).describe('What is on this page.'),
    has_more: z.boolean().describe('Whether another page follows.'),
    next_cursor: z.string().nullable().describe('What to ask for the next page with; null where none follows.'),
  });
}
