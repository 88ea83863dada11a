import { sql } from 'kysely';
import { newId } from '../../id.ts';
import { write } from '../../postgres/read-write.ts';
import type { Background } from '../../turn/background/background.ts';
import type { Turn } from '../../turn/turn.ts';
import { hasCome } from '../sql/due.ts';
import { isFree, leaseFor } from '../sql/lease.ts';
import { hasSlot } from '../sql/slot.ts';
import { isTurnId, writeFor } from '../sql/statement.ts';
import type { Db } from '../tables.ts';
import { awaitedResponses } from './reading/select.ts';

/** The state of a step with its new lease: its draft number, its joined inputs, and the responses it waits for. */
export type LeasedStep = { draft: number; inputs: number; background: Background | null };

/**
 * Takes the lease of the step that the run has loaded, with a draft number that no other run has (R18). Returns
 * null if:
 * - another run has the lease, or the job of a postponed step arrives early because of a wrong clock (R3)
 * - the turn has left the model or the tier that the run would ask (R24), or waits for a slot (R27)
 *
 * The first lease starts the turn, with all `inputs` that have joined (R29). A run that has loaded fewer has to load
 * the turn again. An earlier run may have committed a response since the load, which this run then follows (R40).
 */
export async function takeLease(db: Db, turn: Turn, runId: string): Promise<LeasedStep | null> {
  const { step, model, tierWait } = turn.work;
  const asked = { ownModel: model, ownTier: tierWait?.tier ?? null };
  const [taken] = await take(db, { turnId: turn.id, step, ...asked, runId, eventId: newId('evt') });
  return taken ?? null;
}

const take = writeFor<LeasedStep>(
  sql`step text, "ownModel" text, "ownTier" text, "runId" text, "eventId" text`,
  (input) => sql`
    with ${input},
    leased as (
      update work set ${leaseFor(sql`"runId"`)}, starts = starts + 1, draft = draft + 1,
        started_at = coalesce(started_at, now()), last_event = last_event + (status = 'queued')::int,
        inputs_at_start = case when status = 'queued' then inputs else inputs_at_start end,
        status = case when status = 'queued' then 'in_progress' else status end
      from input where work.id = "turnId" and at_head and model = "ownModel" and work.step = input.step
        and ${isFree} and ${hasCome('retry_at')} and ${hasSlot}
        and tier_wait ->> 'tier' is not distinct from "ownTier"
      returning work.id, work.step, work.model, background, draft - 1 as draft, inputs, last_event, started_at = now() as is_first, "eventId"
    ),
    event as (
      insert into events (turn_id, number, id, type)
      select id, last_event, "eventId", 'turn.started' from leased where is_first
    )
    select id as "turnId", draft, inputs, ${awaitedResponses} as background from leased`,
);

/**
 * A run's report that it is on a step. With `isFirst`, a run that started without a write may take the lease while
 * the step has the `generation` that it loaded. With `counts`, the lease counts as a start. An early lease, taken
 * only to publish text, does not count: neighbours of a poison turn would have as many starts as that turn.
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
 * The result of a renewal: the draft number under which the run publishes its round. It is `busy` if the row of work
 * is locked, so that the result is not known yet.
 */
export type RenewalOutcome = { draft: number } | 'busy';

/**
 * Renews the leases of all steps of a worker, in one statement for each heartbeat. Takes each lease once, then only
 * renews it (R2b, R4). Skips locked rows of work, so that no turn delays the others. A run that is missing from the
 * result has lost its step.
 */
export async function renewLeases(db: Db, renewals: LeaseRenewal[]): Promise<Map<string, RenewalOutcome>> {
  const statement = sql<{ runId: string; draft: number | null }>`
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
        draft = draft + (lease_owner is distinct from renewal."runId")::int
      from renewal, free
      where work.id = free.id and work.id = renewal."turnId" and ${mayRenew}
      returning renewal."runId", draft - 1 as draft
    )
    select "runId", draft from candidate left join renewed using ("runId")`;
  const rows = await write(db, statement);
  return new Map(rows.map(({ runId, draft }) => [runId, draft === null ? 'busy' : { draft }]));
}

const mayRenew = sql<boolean>`work.step = renewal.step
  and (lease_owner = renewal."runId" or (renewal."isFirst" and status = 'in_progress' and work.generation = renewal.generation
    and ${isFree}))`;
