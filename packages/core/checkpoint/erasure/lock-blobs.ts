import { sql } from 'kysely';
import { listed } from '../sql/listed.ts';
import type { Trx } from '../tables.ts';

/** Turns that may lose blobs: these, and those of conversations that were removed already and are kept by forks. */
export type LosingTurns = { turnIds: string[]; conversationIds: string[] };

/**
 * Locks what an erasure that lets go blobs in several statements may let go, in the order that all lock blobs in: two erasures never
 * wait for each other. The caller has locked the conversations.
 */
export async function lockBlobs(trx: Trx, { turnIds, conversationIds }: LosingTurns): Promise<void> {
  await sql`
    select from blobs where (project, sha256) in (
      select reference.project, reference.sha256 from blob_references as reference
      where turn_id in (${listed(turnIds)}) or turn_id in (
        select id from turns where conversation_id in (${listed(conversationIds)}) and deletion is not null))
    order by project, sha256 for update`.execute(trx);
}
