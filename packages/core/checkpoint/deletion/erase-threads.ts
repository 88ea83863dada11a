import { sql } from 'kysely';
import { timing } from '../../turn/timing.ts';
import { inMs } from '../sql/due.ts';
import { listed } from '../sql/listed.ts';
import type { Trx } from '../tables.ts';
import { eraseRounds } from './erase-rounds.ts';
import { lockBlobs } from './lost-blobs.ts';

/**
 * The scope of an erasure. `leaving` turns are erased now, even if later turns of their conversations depend on them.
 * `isByAge` erases each conversation with its last turn, however it was begun. `limit` is the maximum of turns to
 * find.
 */
export type Erasing = { conversationIds: string[]; leaving: string[]; isByAge: boolean; limit?: number };

export type Erased = { turnIds: string[]; conversationIds: string[] };

/** The result of an erased batch. `next` is the id to continue after, or null if no later turn is old enough. */
export type ErasedBatch = Erased & { next: string | null };

/**
 * Erases the turns without dependants, and conversations that end with them. In the same commit it erases the
 * ancestors that only the erased forks referenced. It stops at the first ancestor that is still referenced (R31), and
 * erases there the rounds that no fork reads (R37). The caller has locked the conversations and all their origins.
 */
export async function eraseThreads(trx: Trx, erasing: Erasing): Promise<Erased> {
  const erased: Erased = { turnIds: [], conversationIds: [] };
  const { limit = Number.MAX_SAFE_INTEGER } = erasing;
  let { conversationIds, isByAge } = erasing;
  const origins = new Set<string>();
  while (conversationIds.length > 0 && erased.turnIds.length < limit) {
    erased.turnIds.push(...(await findFree(trx, conversationIds, { erased, leaving: erasing.leaving, limit })));
    const emptied = await findEmptied(trx, conversationIds, { erased, isByAge });
    erased.conversationIds.push(...emptied.map(({ id }) => id));
    conversationIds = [...new Set(emptied.flatMap(({ origin }) => origin ?? []))];
    for (const origin of conversationIds) origins.add(origin);
    isByAge = false;
  }
  await lockBlobsOfSteps(trx, erasing, { erased, origins: [...origins] });
  if (erased.turnIds.length > 0) await deleteTurns(trx, erased.turnIds, erasing.leaving);
  if (erased.conversationIds.length > 0) await deleteConversations(trx, erased.conversationIds);
  if (origins.size > 0) await eraseRounds(trx, [...origins]);
  return erased;
}

/**
 * Locks the blobs if rounds are erased after the turns, here or by the caller, since each of these steps releases
 * blobs.
 */
async function lockBlobsOfSteps(
  trx: Trx,
  { conversationIds, leaving }: Erasing,
  { erased, origins }: { erased: Erased; origins: string[] },
): Promise<void> {
  const gone = new Set(erased.turnIds);
  const isOneStep = origins.length === 0 && leaving.every((id) => gone.has(id));
  if (isOneStep) return;
  await lockBlobs(trx, { turnIds: [...erased.turnIds, ...leaving], conversationIds: [...conversationIds, ...origins] });
}

type Free = { erased: Erased; leaving: string[]; limit: number };

/**
 * Finds turns without dependants: ended unstored turns, and deleted turns without a later visible turn or a fork. A
 * fork keeps turns that were deleted after its creation. Of turns that were deleted at the end of their conversation,
 * it keeps the history of its origin turn (R21, R31).
 */
async function findFree(trx: Trx, conversationIds: string[], { erased, leaving, limit }: Free): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    with candidate as materialized (
      select turns.id, conversation_id, position, stored, history_until, deletion, turns.id in (${listed(leaving)}) as leaves
      from (${listed(conversationIds)}) as conversation (id) join turns on conversation_id = conversation.id
      where (history_until is not null or not stored or turns.id in (${listed(leaving)}))
        and turns.id not in (${listed(erased.turnIds)})
        and case when stored then completed_at is not null else completed_at < ${inMs(-timing.keepUnstoredMs)} end
    ),
    forked as materialized (
      select origin.conversation_id, origin.position, fork.forked_after
      from (select conversation_id, min(position) as since from candidate where stored group by conversation_id) as hidden
      join turns as origin on origin.conversation_id = hidden.conversation_id and origin.position >= since
      join conversations as fork on fork.forked_from = origin.id
      where fork.id not in (${listed(erased.conversationIds)})
    )
    select id from candidate where not stored or not exists (
      select from forked where forked.conversation_id = candidate.conversation_id and forked.position >= candidate.position
        and (leaves or forked.position <= history_until or forked_after < deletion))
    limit ${limit - erased.turnIds.length}`.execute(trx);
  return rows.map(({ id }) => id);
}

/**
 * Finds conversations that end with their turns and have no turn left, and the conversation that each was forked
 * from.
 */
async function findEmptied(
  trx: Trx,
  conversationIds: string[],
  { erased, isByAge }: { erased: Erased; isByAge: boolean },
): Promise<{ id: string; origin: string | null }[]> {
  const { rows } = await sql<{ id: string; origin: string | null }>`
    select conversations.id, origin.conversation_id as origin
    from conversations left join turns as origin on origin.id = forked_from
    where conversations.id in (${listed(conversationIds)}) and (conversations.hidden_at is not null or not outlives_turns or ${isByAge}::boolean)
      and not exists (
        select from turns where turns.conversation_id = conversations.id and turns.id not in (${listed(erased.turnIds)}))`.execute(
    trx,
  );
  return rows;
}

/**
 * Deletes all rows of the turns in one statement, so that blobs are locked in one order. Deletes their idempotency
 * keys, which have the same creation time from one transaction. Keys of turns that a caller deleted stay, and start
 * no turn.
 */
async function deleteTurns(trx: Trx, turnIds: string[], leaving: string[]): Promise<void> {
  await sql`
    with erased as (
      delete from turns where id in (${listed(turnIds)}) returning id, created_at, deletion
    )
    delete from idempotency_keys using erased
    where idempotency_keys.created_at = erased.created_at and resource_id = erased.id
      and deletion is null and erased.id not in (${listed(leaving)})`.execute(trx);
}

/** Deletes conversations without turns. Empties the body hashes of their keys. These keys start no conversation. */
export async function deleteConversations(trx: Trx, conversationIds: string[]): Promise<void> {
  await sql`
    with erased as (
      delete from conversations where id in (${listed(conversationIds)}) returning id, created_at
    )
    update idempotency_keys set body_hash = '' from erased
    where idempotency_keys.created_at = erased.created_at and resource_id = erased.id`.execute(trx);
}
