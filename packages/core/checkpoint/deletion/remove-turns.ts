import { sql } from 'kysely';
import { listed } from '../sql/listed.ts';
import type { Trx } from '../tables.ts';
import { type Erased, eraseLines } from './erase-lines.ts';
import { eraseRounds } from './erase-rounds.ts';
import { forgetSummaries } from './forget-summaries.ts';
import { endHistory } from './hide.ts';

/** Turns that leave their conversations, which are `lines`; `isByAge`: not by their caller's wish. */
export type Removal = { lines: string[]; turnIds: string[]; isByAge: boolean };

/**
 * Takes turns that have ended out of their conversations for good. What comes later is sent without them, and summaries that tell
 * of them are emptied. Their content is erased at once; where a fork stands on one, it is hidden and goes with the last fork
 * (R31), but for rounds that none stands on (R37). The caller has locked the turns for update, and before them their conversations with all that they were forked from.
 */
export async function removeTurns(trx: Trx, { lines, turnIds, isByAge }: Removal): Promise<Erased> {
  await forgetSummaries(trx, sql`id in (${listed(turnIds)})`);
  await endHistory(trx, lines, turnIds);
  await emptyKeys(trx, turnIds);
  const erased = await eraseLines(trx, { lines, leaving: turnIds, isByAge });
  const gone = new Set(erased.turnIds);
  const kept = turnIds.filter((id) => !gone.has(id));
  if (kept.length > 0) {
    await keepForForks(trx, { kept, isByAge });
    await eraseRounds(trx, lines);
  }
  return erased;
}

/** What was sent with the keys of these turns is no longer known; they start nothing for as long as they are kept. */
async function emptyKeys(trx: Trx, turnIds: string[]): Promise<void> {
  await sql`
    update idempotency_keys set body_hash = '' from turns
    where turns.id in (${listed(turnIds)}) and idempotency_keys.created_at = turns.created_at and resource_id = turns.id`.execute(
    trx,
  );
}

/** Forks that were made by now keep them as history, and those that are made later do not. No other line is told of them. */
async function keepForForks(trx: Trx, { kept, isByAge }: { kept: string[]; isByAge: boolean }): Promise<void> {
  await sql`
    with line as (
      update conversations set deletions = deletions + 1
      where id in (select conversation_id from turns where id in (${listed(kept)})) returning id, deletions
    )
    update turns set hidden_at = coalesce(hidden_at, now()), history_until = 0, deletion = line.deletions
    from line where conversation_id = line.id and turns.id in (${listed(kept)})`.execute(trx);
  await sql`delete from deliveries where turn_id in (${listed(kept)})`.execute(trx);
  await sql`select forget_entries(array(select id from turns where id in (${listed(kept)})))`.execute(trx);
  await sql`
    update conversations set hidden_at = coalesce(conversations.hidden_at, now()), config = '{}', metadata = '{}'
    where id in (select conversation_id from turns where id in (${listed(kept)}))
      and (${isByAge}::boolean or not outlives_turns) and not exists (
        select from turns where conversation_id = conversations.id and stored and turns.hidden_at is null)`.execute(
    trx,
  );
}
