import { sql } from 'kysely';
import { listed } from '../sql/listed.ts';
import type { Trx } from '../tables.ts';
import { releaseLostBlobs } from './lost-blobs.ts';

/**
 * Erases the parts of removed turns that no fork depends on any more: the rounds after the last that a fork reads,
 * with their calls, compactions, inputs and blobs. Keeps only the results of a turn that is only run again
 * (R37, R38). The caller has locked the conversations.
 */
export async function eraseRounds(trx: Trx, conversationIds: string[]): Promise<void> {
  await sql`
    with kept as materialized (
      select turns.id, bool_or(origin.id = turns.id and ${isReusing}) as reused,
        max(case when origin.id <> turns.id or fork.forked_round is null then 2147483647 else fork.forked_round end) as last
      from turns
      join turns as origin on origin.conversation_id = turns.conversation_id and origin.position >= turns.position
      join conversations as fork on fork.forked_from = origin.id and fork.forked_after < turns.deletion
      where turns.conversation_id in (${listed(conversationIds)}) and turns.deletion is not null
      group by turns.id
    ),
    cut as materialized (
      select *, last < 0 or exists (select from rounds where turn_id = kept.id and number > last) as is_shorter,
        case when last < 0 then 0 when last > 0 then (select inputs_sent from rounds where turn_id = kept.id and number = last) end as sent
      from kept where last < 2147483647
    ),
    erased_rounds as (delete from rounds using cut where turn_id = cut.id and number > last),
    erased_calls as (delete from tool_calls using cut where turn_id = cut.id and round > last and not reused),
    erased_compactions as (delete from compactions using cut where turn_id = cut.id and round > last),
    erased_inputs as (
      delete from inputs using cut join turns using (id) where turn_id = cut.id and number > coalesce(sent, inputs_at_start)
    ),
    erased_events as (delete from events using cut where turn_id = cut.id)
    update turns set output = case when is_shorter and output is not null then '' else output end,
      error = case when is_shorter and error is not null then '{}'::json else error end,
      metadata = '{}', input = case when last < 0 then '[]'::json else input end,
      config = case when last < 0 then '{"tools":[]}'::json else config end
    from cut where turns.id = cut.id`.execute(trx);
  await releaseLostBlobs(trx, conversationIds);
}

/** The condition that the fork began with a rerun that reuses results of the turn. */
const isReusing = sql`exists (
  select from turns as rerun where rerun.conversation_id = fork.id and rerun.config -> 'origin' ->> 'turnId' = turns.id
    and rerun.config -> 'origin' ->> 'toolResults' = 'reuse')`;
