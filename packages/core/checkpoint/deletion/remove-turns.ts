import { sql } from 'kysely';
import { listed } from '../sql/listed.ts';
import type { Trx } from '../tables.ts';
import { eraseRounds } from './erase-rounds.ts';
import { type Erased, eraseThreads } from './erase-threads.ts';
import { forgetSummaries } from './forget-summaries.ts';
import { endHistory, forgetTexts } from './hide.ts';

/** Turns to remove from their conversations. With `isByAge`, no caller requested the removal. */
export type Removal = { conversationIds: string[]; turnIds: string[]; isByAge: boolean };

/**
 * Removes ended turns from their conversations permanently. Later turns are sent without them, and summaries that
 * mention them are emptied. Erases their content at once. A turn that a fork depends on is hidden, and erased with
 * the last fork (R31). Its rounds that no fork depends on are erased now (R37). The caller has locked the
 * conversations with all origins, and then the turns for update.
 */
export async function removeTurns(trx: Trx, { conversationIds, turnIds, isByAge }: Removal): Promise<Erased> {
  await forgetSummaries(trx, sql`id in (${listed(turnIds)})`);
  await endHistory(trx, conversationIds, turnIds);
  await emptyKeys(trx, turnIds);
  const erased = await eraseThreads(trx, { conversationIds, leaving: turnIds, isByAge });
  const gone = new Set(erased.turnIds);
  const kept = turnIds.filter((id) => !gone.has(id));
  if (kept.length > 0) {
    await keepForForks(trx, { kept, isByAge });
    await eraseRounds(trx, conversationIds);
  }
  return erased;
}

/** Empties the body hashes of the turns' keys. These keys start no turn while they are kept. */
async function emptyKeys(trx: Trx, turnIds: string[]): Promise<void> {
  await sql`
    update idempotency_keys set body_hash = '' from turns
    where turns.id in (${listed(turnIds)}) and idempotency_keys.created_at = turns.created_at and resource_id = turns.id`.execute(
    trx,
  );
}

/** Keeps turns as history for existing forks, not for later forks. Deletes their deliveries and search entries. */
async function keepForForks(trx: Trx, { kept, isByAge }: { kept: string[]; isByAge: boolean }): Promise<void> {
  await sql`
    with conversation as (
      update conversations set deletions = deletions + 1
      where id in (select conversation_id from turns where id in (${listed(kept)})) returning id, deletions
    )
    update turns set hidden_at = coalesce(hidden_at, now()), history_until = 0, deletion = conversation.deletions
    from conversation where conversation_id = conversation.id and turns.id in (${listed(kept)})`.execute(trx);
  await sql`delete from deliveries where turn_id in (${listed(kept)})`.execute(trx);
  await forgetTexts(trx, sql`id in (${listed(kept)})`);
  await sql`
    update conversations set hidden_at = coalesce(conversations.hidden_at, now()), config = '{}', metadata = '{}'
    where id in (select conversation_id from turns where id in (${listed(kept)}))
      and (${isByAge}::boolean or not outlives_turns) and not exists (
        select from turns where conversation_id = conversations.id and stored and turns.hidden_at is null)`.execute(
    trx,
  );
}
