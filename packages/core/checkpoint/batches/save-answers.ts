import { type RawBuilder, sql } from 'kysely';
import { write } from '../../postgres/read-write.ts';
import type { BatchAnswer } from '../../turn/batches/batch-answer.ts';
import type { Usage } from '../../turn/reply.ts';
import { timing } from '../../turn/timing.ts';
import type { TurnWakeup } from '../../turn/wakeup.ts';
import { dueIn } from '../sql/due.ts';
import { isFree } from '../sql/lease.ts';
import { recordSummaries, usedBy, usedColumn } from '../sql/rounds/record-rounds.ts';
import { dueWithSlot, hasSlot, requestSlot } from '../sql/slot.ts';
import { wakeupColumns } from '../sql/wakeup.ts';
import type { Db } from '../tables.ts';
import { isAwaited } from './is-awaited.ts';
import type { OwnBatch } from './postpone-batch.ts';

/** The answer to a request, with the priced usage of its reply. */
export type AnsweredRequest = { id: string; answer: BatchAnswer; usage: Usage | null };

/** A request with an answer that no round waits for. Its usage is recorded as late usage. */
export type LateAnswer = { id: string; turnId: string; project: string; model: string; usage: Usage | null };

/** The turns that have an answer and are due, and the late answers. */
export type SavedAnswers = { wakeups: TurnWakeup[]; late: LateAnswer[] };

/**
 * Stores answers, each once, and wakes the turns that wait for them. A turn requests its slot again (R27). A run with
 * the lease keeps it, and later finds the answer. An answer that no round waits for is counted and dropped (R41).
 * Answers that Pawl itself gives, without a result, are stored only by the owner of their batch.
 */
export async function saveAnswers(
  db: Db,
  answers: readonly AnsweredRequest[],
  by: OwnBatch | null = null,
): Promise<SavedAnswers> {
  const rows = new Map(answers.toReversed().map((answer) => [answer.id, rowOfAnswer(answer)]));
  const [saved] = await write(db, statementFor([...rows.values()], by));
  return saved ?? { wakeups: [], late: [] };
}

function rowOfAnswer({ id, answer, usage }: AnsweredRequest) {
  const text = JSON.stringify(answer);
  return { id, answer: text, usage, used: usage && usedBy(usage, 0), bytes: Buffer.byteLength(text) };
}

/** The columns of late answers, for the statements that record their usage. */
export const lateColumns = sql`id, turn_id as "turnId", project, model, usage`;

/** The agent of the turn of a row. Null if the turn is deleted. */
const agentOfTurn = sql`(select agent from turns where turns.id = turn_id)`;

/** Returns the CTEs that record the usage of the CTE `gone`, of removed requests. */
export const recordLate: RawBuilder<unknown> = sql`
    counted as (select project, model, key_id, ${agentOfTurn} as agent, used from gone where used is not null),
    recorded as (${recordSummaries(sql`counted`)}
    )`;

/**
 * Locks the work of rounds that still wait, so that their turns cannot end before the answers are stored. The lease is
 * read from the locked row: a run may have left it in between (R43).
 */
const heldWork = sql`
      select work.id, target.id as request_id, ${isFree} as is_free from target join work on work.id = target.turn_id
      where is_awaited and work.step = target.step and work.model = target.model
        and work.background ->> 'step' = work.step and work.background ->> 'model' = work.model
        and work.background -> 'responses' ? target.id
      order by work.id for no key update of work`;

/** The bounds of `id` change no result. They make PostgreSQL look up each request, as in `listed`. */
const statementFor = (rows: ReturnType<typeof rowOfAnswer>[], by: OwnBatch | null) => sql<SavedAnswers>`
    with own as materialized (
      select id from batches where id = ${by?.id ?? null} and owner = ${by?.owner ?? null} for no key update
    ),
    given as materialized (
      select * from json_to_recordset(${rows}::json)
        as given (id text, answer text, usage json, ${usedColumn}, bytes int)
      where id collate "C" between '' and 'zz'
    ),
    target as materialized (
      select batch_requests.id, turn_id, step, model, given.answer, given.usage, given.used, given.bytes,
        ${isAwaited} as is_awaited
      from given join batch_requests on batch_requests.id = given.id
      where state <> 'answered' and (${by === null} or batch_id in (select id from own))
      order by batch_requests.id for update of batch_requests
    ),
    held as materialized (${heldWork}),
    answered as (
      update batch_requests set state = 'answered', usage = target.usage, used = target.used, bytes = target.bytes
      from target join held on request_id = target.id where batch_requests.id = target.id
    ),
    kept as (
      insert into batch_answers (request_id, turn_id, answer)
      select target.id, turn_id, answer::json from target join held on request_id = target.id
    ),
    gone as (
      delete from batch_requests using target
      where batch_requests.id = target.id and not exists (select from held where request_id = target.id)
      returning batch_requests.id, batch_requests.turn_id, project, batch_requests.model, key_id,
        target.usage, target.used
    ),
    ${recordLate},
    woken as (
      update work set due_at = ${dueWithSlot(dueIn(timing.graceMs))}, ${requestSlot}, generation = generation + 1,
        retry_at = null, rate_limited = false, waiting_since = now()
      from held where work.id = held.id and is_free
      returning work.id, work.step, work.generation, work.provider, work.priority, work.slot
    )
    select (
        select coalesce(json_agg(wakeup), '[]') from (
          select ${wakeupColumns} from woken as work where ${hasSlot}) as wakeup) as wakeups,
      (select coalesce(json_agg(late), '[]') from (select ${lateColumns} from gone) as late) as late`;
