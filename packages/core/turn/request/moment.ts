import { z } from 'zod';

/** The years in UTC that a caller may use: PostgreSQL and our answers write them with four digits. */
const YEARS = { first: 1, last: 9999 };

const RANGE = `give a time from the year 0001 to the year ${YEARS.last}, in UTC`;

/** Returns whether a time in RFC 3339 is, in UTC, in a year that can be stored and shown. */
function isStorable(text: string): boolean {
  const year = new Date(/[zZ]|[+-]\d\d:?\d\d$/.test(text) ? text : `${text}Z`).getUTCFullYear();
  return year >= YEARS.first && year <= YEARS.last;
}

export const moment = z.iso
  .datetime({ offset: true, error: 'give a time in RFC 3339, such as 2026-11-20T10:00:00Z' })
  .refine(isStorable, RANGE);

/** A day, or a time, which is in UTC if it has no offset. */
export const dayOrMoment = z
  .union([z.iso.date(), z.iso.datetime({ offset: true, local: true })], {
    error: 'give a date as 2026-11-20, or a time as 2026-11-20T06:00:00Z',
  })
  .refine((text) => isStorable(text.length > 10 ? text : `${text}T00:00:00Z`), RANGE);
