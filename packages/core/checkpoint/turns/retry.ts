import { sql } from 'kysely';
import { newId } from '../../id.ts';
import { timing } from '../../turn/timing.ts';
import type { TurnWakeup } from '../../turn/wakeup.ts';
import { enterTurn } from '../search/enter-turns.ts';
import { dueAtDeadline, dueIn } from '../sql/due.ts';
import { traceWithReopening } from '../sql/trace.ts';
import { isVisible } from '../sql/visible.ts';
import { wakeupColumns } from '../sql/wakeup.ts';
import type { Trx } from '../tables.ts';
import { lockConversation } from './lock.ts';

/**
 * The result of a retry. `wakeup` is null while another turn of the conversation is at the head, or if the turn has
 * no slot.
 */
export type Retried =
  | { kind: 'resumed'; wakeup: TurnWakeup | null }
  | { kind: 'not-failed' }
  | { kind: 'forked' }
  | { kind: 'missing' };

/** A retry of a turn in this project. With `needsSlot`, no worker may run the turn before it has a slot (R27). */
type Retry = { project: string; turnId: string; needsSlot: boolean };

/**
 * Reopens a failed turn at its last checkpoint, the only way back from a terminal state (R14). Refuses a turn that a
 * fork depends on, since the history of the fork may not change (R20).
 */
export async function retryTurn(trx: Trx, { project, turnId, needsSlot }: Retry): Promise<Retried> {
  const { rows: found } = await sql<{ conversation_id: string }>`
    select conversation_id from turns where id = ${turnId} and project = ${project} and ${isVisible}`.execute(trx);
  const [turn] = found;
  if (!turn) return { kind: 'missing' };

  // The conversation may have been deleted in between, with all its turns.
  if (!(await lockConversation(trx, turn.conversation_id))) return { kind: 'missing' };
  const { rows } = await sql<TurnWakeup & { at_head: boolean }>`
    with conversation as (update conversations set reopened = reopened + 1 where id = ${turn.conversation_id}),
    head as (
      select not exists (select from work where conversation_id = ${turn.conversation_id} and at_head) as is_free
    ),
    reopened as (
      update turns set status = null, output = null, error = null, completed_at = null, trace = ${traceWithReopening}
      where id = ${turnId} and status = 'failed' and ${isVisible} and not exists (${forksOf(turnId)})
      returning turns.*
    ),
    work as (
      insert into work (id, project, conversation_id, position, priority, key_id, deadline_at, stored, status, step, generation, draft,
        at_head, provider, model, due_at, slot, started_at, last_event, inputs, inputs_at_start, compacted_before, warnings, failed_requests)
      select id, project, conversation_id, position, priority, key_id, deadline_at, stored,
        case when started_at is null then 'queued' else 'in_progress' end, step, generation + 1, draft, is_free,
        split_part(${ownModel}, '/', 1), ${ownModel},
        case when is_free and not ${needsSlot} then ${dueIn(timing.graceMs)} else ${dueAtDeadline} end,
        case when ${needsSlot} then case when is_free then 'wanted' else 'none' end end,
        started_at, last_event + 1, inputs, inputs_at_start, compacted_before, warnings, failed_requests
      from reopened as work cross join head
      returning *
    ),
    event as (
      insert into events (turn_id, number, id, type) select id, last_event, ${newId('evt')}, 'turn.resumed' from work
    )
    select ${wakeupColumns}, at_head from work`.execute(trx);
  const [wakeup] = rows;
  if (!wakeup) return { kind: (await isForked(trx, turnId)) ? 'forked' : 'not-failed' };

  await enterTurn(trx, turnId);
  return { kind: 'resumed', wakeup: wakeup.at_head && !needsSlot ? wakeup : null };
}

/** The requested model: a retry begins with it again. */
const ownModel = sql`(config -> 'model' #>> '{}')`;

/**
 * Selects the forks that read all of a turn: forks of the turn or of a later turn. A fork up to a round reads no
 * addition of a retry.
 */
const forksOf = (turnId: string) => sql`
  select from turns as basis join turns as origin on origin.conversation_id = basis.conversation_id and origin.position >= basis.position
  join conversations as fork on fork.forked_from = origin.id
  where basis.id = ${turnId} and (origin.id <> basis.id or fork.forked_round is null)`;

async function isForked(trx: Trx, turnId: string): Promise<boolean> {
  const { rows } = await sql`
    select from turns where id = ${turnId} and status = 'failed' and exists (${forksOf(turnId)})`.execute(trx);
  return rows.length > 0;
}
