import { sql } from 'kysely';
import { listed } from '../sql/listed.ts';
import type { Trx } from '../tables.ts';

/** Turns that may lose blobs: the given turns, and removed turns of the given conversations that forks keep. */
export type LosingTurns = { turnIds: string[]; conversationIds: string[] };

/**
 * Locks the blobs that an erasure may release in several statements. Every erasure locks blobs in the same order, so
 * two erasures never block each other in a circle. The caller has locked the conversations.
 */
export async function lockBlobs(trx: Trx, { turnIds, conversationIds }: LosingTurns): Promise<void> {
  await sql`
    select from blobs where (project, sha256) in (
      select reference.project, reference.sha256 from blob_references as reference
      where turn_id in (${listed(turnIds)}) or turn_id in (
        select id from turns where conversation_id in (${listed(conversationIds)}) and deletion is not null))
    order by project, sha256 for update`.execute(trx);
}

/**
 * Releases blobs of turns that were removed from these conversations and that forks keep. A blob stays if the
 * remaining content of its turn names it. Erases a released blob if no other turn and no file refers to it. The
 * caller has locked the conversations.
 */
export async function releaseLostBlobs(trx: Trx, conversationIds: string[]): Promise<void> {
  const { rows: lost } = await sql<{ project: string; sha256: string }>`
    select project, sha256 from blobs where (project, sha256) in (
      select project, sha256 from (${lostReferences(conversationIds)}) as lost)
    order by project, sha256 for update`.execute(trx);
  if (lost.length === 0) return;
  await sql`
    delete from blob_references using (${lostReferences(conversationIds)}) as lost
    where blob_references.turn_id = lost.turn_id and blob_references.sha256 = lost.sha256`.execute(trx);
  // References are counted after the lock, so a reference added before it counts.
  await sql`
    select delete_unused_blobs(array_agg(project), array_agg(sha256))
    from json_to_recordset(${lost}::json) as held (project text, sha256 text)`.execute(trx);
}

/** Selects references of kept turns to blobs that no input or result names any more. */
function lostReferences(conversationIds: string[]) {
  const names = (text: string) => sql`position(reference.sha256 in ${sql.raw(text)}) > 0`;
  return sql`
    select reference.project, reference.sha256, turn_id
    from blob_references as reference join turns on turns.id = turn_id
    where conversation_id in (${listed(conversationIds)}) and deletion is not null and not ${names('turns.input::text')}
      and not exists (select from inputs where inputs.turn_id = turns.id and ${names('inputs.content::text')})
      and not exists (
        select from tool_calls as call where call.turn_id = turns.id
          and (${names("coalesce(call.result::text, '')")} or ${names("coalesce(call.full_output, '')")}))`;
}
