import { sql } from 'kysely';
import { newId } from '../../id.ts';
import type { TurnTrace } from '../../trace-context.ts';
import type { ServiceTier } from '../../turn/config/service-tier.ts';
import { timing } from '../../turn/timing.ts';
import type { TurnWakeup } from '../../turn/wakeup.ts';
import { insertWait, type Waiter } from '../provider-limits/insert-wait.ts';
import { draftAfterTry } from '../sql/draft.ts';
import { inMs } from '../sql/due.ts';
import { mayGiveUp } from '../sql/lease.ts';
import { hasSlot } from '../sql/slot.ts';
import { rawJson, writeFor } from '../sql/statement.ts';
import { keepFailure } from '../sql/trace.ts';
import { wakeupColumns } from '../sql/wakeup.ts';
import type { Db } from '../tables.ts';

export type Postponement = {
  turnId: string;
  step: string;
  /**
   * The generation that the run has loaded. A run without the lease postpones no step that was enqueued again since.
   */
  generation: number;
  runId: string;
  /** Calls that the run has made. Their claims stay, for the next run to settle (R8). */
  called: number[];
  delayMs: number;
  /** Whether this try counts. */
  attempt: boolean;
  rateLimited: boolean;
  /** The part of the delay that counts toward a turn's maximum wait for rate limits. */
  waitedMs: number;
  /** Requests to the model that the try made. */
  requests?: number;
  /** The draft number of the run's lease, and whether the run has published text of the round. */
  draft?: number | null;
  published?: boolean;
  /** The failed try of a round, for the next span to link to, or null if it is not traced. */
  failed?: TurnTrace['failed'] | null;
  /** True if the provider lacked the capacity for the tier of the request. */
  lacksCapacity?: boolean;
  /** The tier of the round from now on, if it changes. The event is then `tier.changed`. */
  tier?: ServiceTier;
  /** A round that waits for room under a limit of its provider, for the first time or again. */
  waiter?: Waiter;
  /** How often the round has polled its response, for a round that waits for one. */
  polls?: number;
  /** The responses that the round no longer waits for. It keeps the responses of a later run (R40). */
  dropped?: readonly string[] | undefined;
  /** The data of the event, or null for no event. The event is `step.retrying`, unless the tier changes. */
  eventData: Record<string, unknown> | null;
};

/**
 * Hands a step back, due later (R2). This is a negative write: only by the run with the lease, or if the step is free
 * (R5). The generation rises, since the run's own job id is still in use (R11). Claims of calls that the run has not
 * made are released too (R8). A wait releases the turn's slot, and no job is enqueued before its end (R27). A turn
 * after its deadline is due at once. A round leaves its `tier` in the same commit (R24). Returns the wakeups to
 * enqueue, or null if no row was written.
 */
export async function postponeStep(db: Db, later: Postponement): Promise<TurnWakeup[] | null> {
  const { attempt, eventData, generation: ownGeneration, draft: ownDraft = null, failed, dropped, ...rest } = later;
  const { requests = 0, published = false, tier = null, lacksCapacity = false, waiter, polls = null } = later;
  const row = {
    ...rest,
    ownGeneration,
    ownDraft,
    requests,
    published,
    polls,
    dropped: rawJson(dropped),
    counts: attempt ? 1 : 0,
    ...{ toTier: tier, capacityRefusals: lacksCapacity ? 1 : 0, eventType: tier ? 'tier.changed' : 'step.retrying' },
    ...{ limitName: waiter?.name ?? null, limitRequests: waiter?.requests ?? 0, limitTokens: waiter?.tokens ?? 0 },
    eventData: rawJson(eventData),
    failed: rawJson(failed),
    eventId: newId('evt'),
  };
  const [written] = await write(db, row);
  if (!written) return null;
  const { isDue, ...wakeup } = written;
  return isDue ? [{ ...wakeup, delayMs: later.delayMs }] : [];
}

const staysAtWork = sql`(work.slot is null or work.slot = 'held' and "delayMs" = 0)`;

/** The wait for a tier after a try. It stays null for a round that needs no capacity of a tier. */
const tierWaitAfterTry = sql`case when "capacityRefusals" = 0 and "toTier" is null then work.tier_wait else json_build_object(
          'refusals', coalesce((work.tier_wait ->> 'refusals')::int, 0) + "capacityRefusals",
          'since', coalesce(work.tier_wait ->> 'since', now()::text), 'tier', coalesce("toTier", work.tier_wait ->> 'tier')) end`;

/** The responses of a round after a try. They stay, unless the try has dropped exactly these responses. */
const backgroundAfterTry = sql`case when work.background -> 'responses' = dropped::jsonb then null
          when polls is not null then jsonb_set(work.background, '{polls}', to_jsonb(polls)) else work.background end`;

const write = writeFor<TurnWakeup & { isDue: boolean }>(
  sql`step text, "ownGeneration" int, "runId" text, called json, "delayMs" double precision, counts int, requests int,
  "rateLimited" boolean, "waitedMs" int, "ownDraft" int, published boolean, polls int, dropped text, "toTier" text, "capacityRefusals" int, "eventType" text, "limitName" text,
  "limitRequests" int, "limitTokens" double precision, "eventData" text, failed text, "eventId" text`,
  (input) => sql`
    with ${input},
    postponed as (
      update work set due_at = least(${inMs(sql`"delayMs" + case when ${staysAtWork} then ${sql.lit(timing.graceMs)} else 0 end`)}, work.deadline_at),
        slot = case when ${staysAtWork} then work.slot else 'none' end, retry_at = ${inMs(sql`"delayMs"`)},
        generation = work.generation + 1, lease_owner = null, lease_until = null, starts = 0,
        draft = ${draftAfterTry},
        attempts = attempts + counts, failed_requests = failed_requests + requests, rate_limited = "rateLimited",
        waiting_since = case when rate_limited and "rateLimited" then waiting_since else now() end,
        tier_wait = ${tierWaitAfterTry},
        background = ${backgroundAfterTry},
        waited_ms = waited_ms + "waitedMs", last_event = last_event + ("eventData" is not null)::int
      from input where work.id = "turnId" and status in ('queued', 'in_progress') and work.step = input.step
        and ${mayGiveUp(sql`"ownGeneration"`)}
      returning work.id, work.step, work.generation, provider, priority, slot, last_event, "runId", called, "eventType", "eventData", "eventId",
        "limitName", "limitRequests", "limitTokens", failed
    ),
    waiter as (${insertWait(sql`postponed`)}
    ),
    traced as (${keepFailure(sql`postponed`)}
    ),
    unclaimed as (
      update tool_calls set claimed_by = null, claimed_at = null from postponed
      where turn_id = postponed.id and claimed_by = "runId" and result is null
        and index not in (select value::int from json_array_elements_text(called))
    ),
    event as (
      insert into events (turn_id, number, id, type, data)
      select id, last_event, "eventId", "eventType", "eventData"::json from postponed where "eventData" is not null
    )
    select ${wakeupColumns}, ${hasSlot} as "isDue" from postponed as work`,
);
