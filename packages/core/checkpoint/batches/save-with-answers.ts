import { sql } from 'kysely';
import { listed } from '../sql/listed.ts';
import type { Db, Trx } from '../tables.ts';

/** The round was not saved, so its transaction is undone. */
class NotSaved extends Error {}

/**
 * Saves a round in one commit with the removal of its requests, since the round counts their usage (R41). Returns
 * null without a write if `save` returns null, or if the answer to a request is already used or counted. The round is
 * saved first, so that the locks have the same order as in a deletion.
 */
export async function saveWithAnswers<Saved>(
  db: Db,
  ids: readonly string[],
  save: (trx: Trx) => Promise<Saved | null>,
): Promise<Saved | null> {
  const using = sql`
    delete from batch_requests where id in (${listed(ids)}) and state = 'answered' returning id`;
  try {
    return await db.transaction().execute(async (trx) => {
      const saved = await save(trx);
      if (saved === null) throw new NotSaved();
      const { rows: used } = await using.execute(trx);
      if (used.length !== ids.length) throw new NotSaved();
      return saved;
    });
  } catch (error) {
    if (error instanceof NotSaved) return null;
    throw error;
  }
}
