import { type RawBuilder, sql } from 'kysely';

/**
 * The edition of a reply that is saved: its run's `"ownEdition"` where no lease was taken since, else one above all that were
 * told. A run without a lease has told nothing, and no edition (R18).
 */
export const savedEdition: RawBuilder<number> = sql`case when "ownEdition" = work.edition - 1 then "ownEdition"
  else work.edition end`;

/** The edition that the next lease hands out after a try: the run's own again, if it has told no piece and none came since. */
export const editionAfterTry: RawBuilder<number> = sql`case when not told and "ownEdition" = work.edition - 1
  then "ownEdition" else work.edition end`;
