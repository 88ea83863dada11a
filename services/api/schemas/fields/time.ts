import { z } from 'zod';

/** A time as all answers write it. */
export const Time = z.string().meta({
  format: 'date-time',
  description: 'A time in RFC 3339 format, in UTC and with milliseconds.',
  examples: ['2026-11-20T10:00:00.000Z'],
});
