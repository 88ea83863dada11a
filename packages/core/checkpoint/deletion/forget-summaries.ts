import { type RawBuilder, sql } from 'kysely';
import type { Trx } from '../tables.ts';

/**
 * Empties summaries that mention turns with deleted content (R23): summaries before a round of that turn, of a later
 * turn, or of a fork based on it. `targets` is a condition on the turns. The usage of the summaries stays counted.
 */
export async function forgetSummaries(trx: Trx, targets: RawBuilder<unknown>): Promise<void> {
  await sql`
    with recursive target as materialized (select conversation_id, position from turns where ${targets}),
    behind (conversation_id, since) as (
      select conversation_id, position from target
      union
      select conversations.id, since from behind
      join turns as origin on origin.conversation_id = behind.conversation_id and origin.position >= since
      join conversations on conversations.forked_from = origin.id
    )
    update compactions set summary = null
    from behind join turn_states as owner on owner.conversation_id = behind.conversation_id and owner.position >= since
      and owner.compacted_before is not null
    where compactions.turn_id = owner.id and summary is not null
      and since <= (select position from turns where turns.id = up_to_turn)`.execute(trx);
}
