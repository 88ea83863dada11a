import { sql } from 'kysely';
import { write } from '../postgres/read-write.ts';
import { MAX_RATE_LIMIT_WAIT_MS, timing } from '../turn/timing.ts';
import type { TurnWakeup } from '../turn/wakeup.ts';
import { dueIn, inMs } from './sql/due.ts';
import { hasSlot, releaseSlot } from './sql/slot.ts';
import { isTurnId } from './sql/statement.ts';
import { wakeupColumns } from './sql/wakeup.ts';
import type { Db } from './tables.ts';

/**
 * A model at its rate limit on a tier (`limitName`), the remaining time, and whether the wait counts toward a turn's
 * maximum wait.
 */
export type RateLimitedModel = { name: string; forMs: number; counts: boolean };

/** The condition that a turn is late. Only `due_bucket` is indexed. */
const isLate = sql<boolean>`due_bucket < now() and due_at < now()`;

/**
 * The condition that a rescue may enqueue a turn. After a wait, a turn is enqueued when it gets a slot. After its
 * deadline, it needs no slot (R27).
 */
const mayBeWorked = sql<boolean>`(${hasSlot} or deadline_at <= now())`;

/** The name of the rate limit for a turn's next request, equal to `limitName` of `turn/tiers/change-tier.ts`. */
const limitName = sql`work.model || case coalesce(tier_wait ->> 'tier', config ->> 'service_tier')
  when 'flex' then ' on flex' when 'priority' then ' on priority' when 'batch' then ' on batch' else '' end`;

/** The configuration of each row of work, looked up by id: for a join PostgreSQL may read the whole table. */
const withConfig = sql`cross join lateral (select config from turns where turns.id = work.id offset 0) as turn`;

/** The maximum of rows to postpone at once. Each row costs a write, but no job. */
const MAX_POSTPONED = 2_000;

/**
 * Finds due turns that no worker took (R2). Raises their generations, so that no live, stuck or retained job swallows
 * the wakeup (R11). Pauses grow until a worker takes the lease. Several rescuers share the work. Leases stay (R9).
 * The round of a rate-limited model is not late before a long limit ends.
 */
export async function rescueTurns(db: Db, limit: number, limits: RateLimitedModel[] = []): Promise<TurnWakeup[]> {
  const lasting = limits.filter(({ forMs }) => forMs > timing.graceMs);
  if (lasting.length > 0) await postponeRateLimited(db, lasting);
  const pauseMs = sql<number>`least(${timing.graceMs} * power(2, least(rescues, 10)), ${timing.longestGraceMs})`;
  const statement = sql<TurnWakeup>`
    update work set generation = generation + 1, rescues = rescues + 1,
      due_at = least(now() + ${pauseMs} * interval '1 millisecond', case when deadline_at > now() then deadline_at end)
    where id = any(array(
      select id from work where ${isLate} and ${mayBeWorked} order by due_bucket limit ${limit} for no key update skip locked))
    returning ${wakeupColumns}, coalesce(deadline_at <= now(), false) as overdue`;
  const rows = await write(db, statement);
  return rows;
}

/**
 * Postpones late rounds until the limits of their models end, spread over time. A round that waits for a response needs
 * no request. Deadlines stay. A worker still gets turns after their maximum wait, which it fails, and turns with a
 * fallback model or tier.
 */
async function postponeRateLimited(db: Db, limits: RateLimitedModel[]): Promise<void> {
  const statement = sql`
    with late as materialized (
      select id, "forMs", case when counts then "forMs" else 0 end as "countedMs"
      from work ${withConfig}
      join json_to_recordset(${limits}::json) as limited (name text, "forMs" double precision, counts boolean) on name = ${limitName}
      where ${isLate} and step like 'r%' and background is null and coalesce(deadline_at > now(), true)
        and config -> 'fallback_models' is null and config -> 'tier_fallback' is null
        and (not counts or waited_ms + "forMs" <= ${MAX_RATE_LIMIT_WAIT_MS})
      order by due_bucket limit ${MAX_POSTPONED} for no key update of work skip locked
    )
    update work set generation = generation + 1, retry_at = ${inMs(sql`"forMs"`)}, rate_limited = true,
      waiting_since = case when rate_limited then waiting_since else now() end, waited_ms = waited_ms + "countedMs"::int,
      due_at = least(deadline_at, ${inMs(sql`"forMs" + ${timing.graceMs} * (1 + random())`)}), ${releaseSlot}
    from late where work.id = late.id`;
  await write(db, statement);
}

/**
 * Reverts rescues if no queue took the wakeups, so that the next rescue follows the first pause, however long the
 * queue was away. Rows with a lease or a later generation do not change.
 */
export async function revertRescues(db: Db, turns: TurnWakeup[]): Promise<void> {
  const statement = sql`
    update work set rescues = greatest(rescues - 1, 0), due_at = least(due_at, ${dueIn(timing.graceMs)})
    from json_to_recordset(${turns}::json) as undelivered ("turnId" text, generation int)
    where ${isTurnId(sql`"turnId"`)} and work.id = "turnId" and work.generation = undelivered.generation
      and (lease_owner is null or lease_until < now())`;
  await write(db, statement);
}
