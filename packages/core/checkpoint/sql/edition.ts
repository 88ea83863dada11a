import { type RawBuilder, sql } from 'kysely';

/**
 * The attempt number of a saved reply: its run's `"ownEdition"` if no lease was taken since, else one above all
 * published numbers. A run without a lease has published no text and has no number (R18).
 */
export const savedEdition: RawBuilder<number> = sql`case when "ownEdition" = work.edition - 1 then "ownEdition"
  else work.edition end`;

/**
 * The attempt number of the next lease after an attempt. A run keeps its number if it has published no text and no
 * lease was taken since.
 */
export const editionAfterTry: RawBuilder<number> = sql`case when not told and "ownEdition" = work.edition - 1
  then "ownEdition" else work.edition end`;
