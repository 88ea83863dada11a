import { type RawBuilder, sql } from 'kysely';

/**
 * The draft number of a saved reply: its run's `"ownDraft"` if no lease was taken since, else one above all published
 * numbers. A run without a lease has published no text and has no number (R18).
 */
export const savedDraft: RawBuilder<number> = sql`case when "ownDraft" = work.draft - 1 then "ownDraft"
  else work.draft end`;

/**
 * The draft number of the next lease after a try. A run keeps its number if it has published no text and no lease was
 * taken since.
 */
export const draftAfterTry: RawBuilder<number> = sql`case when not published and "ownDraft" = work.draft - 1
  then "ownDraft" else work.draft end`;
