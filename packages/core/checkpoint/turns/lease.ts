import { sql } from 'kysely';
import { newId } from '../../id.ts';
import { write } from '../../postgres/read-write.ts';
import type { Turn } from '../../turn/turn.ts';
import { hasCome } from '../sql/due.ts';
import { isFree, leaseFor } from '../sql/lease.ts';
import { hasPlace } from '../sql/place.ts';
import { isTurnId, writeFor } from '../sql/statement.ts';
import type { Db } from '../tables.ts';

/**
 * Takes the lease on the step that the run has loaded, with an edition that no other run has (R18). Null if
 * another run has it, or if the step was postponed and its job comes early, by a wrong clock (R3); and if the
 * turn has left the model or the tier that the run would ask (R24), or waits for a place (R27). The first lease
 * starts the turn, with all `inputs` that have joined it by then (R29): a run that has loaded fewer has to load it
 * again.
 */
export async function takeLease(
  db: Db,
  turn: Turn,
  runId: string,
): Promise<{ edition: number; inputs: number } | null> {
  const { step, model, tierWait } = turn.work;
  const asked = { ownModel: model, ownTier: tierWait?.tier ?? null };
  const [taken] = await take(db, { turnId: turn.id, step, ...asked, runId, eventId: newId('evt') });
  return taken ?? null;
}

const take = writeFor<{ edition: number; inputs: number }>(
  sql`step text, "ownModel" text, "ownTier" text, "runId" text, "eventId" text`,
  (input) => sql`
    with ${input},
    leased as (
      update work set ${leaseFor(sql`"runId"`)}, starts = starts + 1, edition = edition + 1,
        started_at = coalesce(started_at, now()), last_event = last_event + (status = 'queued')::int,
        begun_with = case when status = 'queued' then inputs else begun_with end,
        status = case when status = 'queued' then 'in_progress' else status end
      from input where work.id = "turnId" and at_head and model = "ownModel" and work.step = input.step
        and ${isFree} and ${hasCome('retry_at')} and ${hasPlace}
        and tier_wait ->> 'tier' is not distinct from "ownTier"
      returning work.id, edition - 1 as edition, inputs, last_event, started_at = now() as is_first, "eventId"
    ),
    event as (
      insert into events (turn_id, number, id, type)
      select id, last_event, "eventId", 'turn.started' from leased where is_first
    )
    select id as "turnId", edition, inputs from leased`,
);

/**
 * A run says that it is on a step. `isFirst` may take the lease, for a run that started without writing, while the step
 * is of the `generation` that it loaded. The lease `counts` as a start, unless it is taken early, only to tell a piece: a
 * neighbour of a poison turn would have as many starts as that.
 */
export type LeaseRenewal = {
  turnId: string;
  step: string;
  generation: number;
  runId: string;
  isFirst: boolean;
  counts: boolean;
};

/**
 * The run has its step for another lease, and tells its round under that edition; or `busy`: its row of work is locked, so
 * nothing is known yet.
 */
export type RenewalOutcome = { edition: number } | 'busy';

/**
 * One heartbeat for all steps of a worker, in one statement: takes each lease once, then only renews it (R2b, R4). It
 * skips locked rows of work, so that one turn never delays the others. A run that is missing from the answer has lost its
 * step.
 */
export async function renewLeases(db: Db, renewals: LeaseRenewal[]): Promise<Map<string, RenewalOutcome>> {
  const statement = sql<{ runId: string; edition: number | null }>`
    with renewal as materialized (
      select * from json_to_recordset(${renewals}::json)
        as renewal ("turnId" text, step text, generation int, "runId" text, "isFirst" boolean, counts boolean)
      where ${isTurnId(sql`"turnId"`)}
    ),
    candidate as materialized (select "runId" from work join renewal on id = "turnId" where ${mayRenew}),
    free as materialized (
      select id from work where id in (select "turnId" from renewal) for no key update skip locked
    ),
    renewed as (
      update work set ${leaseFor(sql`renewal."runId"`)},
        starts = starts + (counts and lease_owner is distinct from renewal."runId")::int,
        edition = edition + (lease_owner is distinct from renewal."runId")::int
      from renewal, free
      where work.id = free.id and work.id = renewal."turnId" and ${mayRenew}
      returning renewal."runId", edition - 1 as edition
    )
    select "runId", edition from candidate left join renewed using ("runId")`;
  const rows = await write(db, statement);
  return new Map(rows.map(({ runId, edition }) => [runId, edition === null ? 'busy' : { edition }]));
}

const mayRenew = sql<boolean>`work.step = renewal.step
  and (lease_owner = renewal."runId" or (renewal."isFirst" and status = 'in_progress' and work.generation = renewal.generation
    and ${isFree}))`;
