import { sql } from 'kysely';
import type { Db, Trx } from '../tables.ts';

/** The responses that a reply consists of. */
export type UsedResponses = { provider: string; ids: readonly string[] };

/** The round was not saved, so its transaction is undone. */
class NotSaved extends Error {}

/**
 * Saves a round in one commit with the mark that the round counts the usage of its responses (R41). Returns null
 * without a write if `save` returns null, or if the usage of a response is already counted as late usage.
 */
export async function saveWithResponses<Saved>(
  db: Db,
  { provider, ids }: UsedResponses,
  save: (trx: Trx) => Promise<Saved | null>,
): Promise<Saved | null> {
  const marking = sql`
    update background_responses set state = 'used'
    where provider = ${provider} and id in (select json_array_elements_text(${ids}::json)) and state in ('open', 'used')
    returning id`;
  try {
    return await db.transaction().execute(async (trx) => {
      const { rows: marked } = await marking.execute(trx);
      const saved = marked.length === ids.length ? await save(trx) : null;
      if (saved === null) throw new NotSaved();
      return saved;
    });
  } catch (error) {
    if (error instanceof NotSaved) return null;
    throw error;
  }
}
