import { keepBlobs, type ReferredBlobs } from './blobs.ts';
import type { Db, Trx } from './tables.ts';

/** The round was not saved, so its transaction is undone. */
class NotSaved extends Error {}

/** Saves a round in one commit with the blobs of its images. Returns null without a write if `save` returns null. */
export async function saveWithBlobs<Saved>(
  db: Db,
  referred: ReferredBlobs,
  save: (trx: Trx) => Promise<Saved | null>,
): Promise<Saved | null> {
  const saveAll = async (trx: Trx) => {
    // The round first: it locks the turn, and blobs are locked after their turn.
    const saved = await save(trx);
    if (saved === null) throw new NotSaved();
    await keepBlobs(trx, referred);
    return saved;
  };
  try {
    return db.isTransaction ? await saveAll(db as Trx) : await db.transaction().execute(saveAll);
  } catch (error) {
    if (error instanceof NotSaved) return null;
    throw error;
  }
}
