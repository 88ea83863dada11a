import { z } from 'zod';

/** A moment as all answers write it. */
export const Time = z.string().meta({
  format: 'date-time',
  description: 'RFC 3339 in UTC, with milliseconds.',
  examples: ['2026-11-20T10:00:00.000Z'],
});
