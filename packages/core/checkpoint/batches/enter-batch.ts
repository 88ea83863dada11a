import { sql } from 'kysely';
import { draftAfterTry } from '../sql/draft.ts';
import { inMs } from '../sql/due.ts';
import { mayGiveUp } from '../sql/lease.ts';
import { releaseSlot } from '../sql/slot.ts';
import { rawJson, writeFor } from '../sql/statement.ts';
import type { Db } from '../tables.ts';

/** A round that is to be asked by batch. */
export type EnteringRound = {
  turnId: string;
  step: string;
  /** The model of the request, as `provider/model`. */
  model: string;
  runId: string;
  /** The generation that the run has loaded. */
  generation: number;
  /** The draft number of the run's lease. */
  draft: number | null;
  /** Direct requests to the model that the try made. A request in a batch counts when it is answered. */
  requests: number;
  project: string;
  /** All requests of this round in their order. */
  requestIds: readonly string[];
  /** Whether the last request is new. Otherwise the round waits on for its answer. */
  isNew: boolean;
  provider: string;
  /** The wire of the request. */
  wire: string;
  /** How many joined inputs of its turn the request has (R29). */
  inputs: number;
  /** The time until the round should ask another tier, or null if it waits until its deadline. */
  delayMs: number | null;
};

/**
 * Adds a request of a round to the requests that wait for a batch, and lets the turn wait for its answer without a
 * slot (R27). This is a negative write: only by the run with the lease, or if the step is free (R5). The generation
 * rises, so that no other job runs the step. Returns false if the run has lost its step, or if it would wait on
 * although its answer is stored. The lock on the request decides whether the answer or the wait is first
 * (R43).
 */
export async function enterBatch(db: Db, { requestIds, generation, draft, ...round }: EnteringRound): Promise<boolean> {
  const own = { ownGeneration: generation, ownDraft: draft, published: false };
  const ids = { requestId: requestIds.at(-1) ?? '', responses: rawJson(requestIds) };
  return (await write(db, { ...round, ...own, ...ids })).length > 0;
}

/** The start of the wait. It stays if the round has waited for another of its requests. */
const since = sql`case when work.background ->> 'step' = work.step and work.background ->> 'model' = work.model
          then coalesce((work.background ->> 'since')::timestamptz, now()) else now() end`;

/** The time before which no job may run the step. It is far away, and older versions can read it as a date. */
const retryAt = sql`coalesce(${inMs(sql`"delayMs"`)}, now() + interval '1 year')`;

const write = writeFor<{ turnId: string }>(
  sql`step text, model text, "runId" text, "ownGeneration" int, "ownDraft" int, published boolean, requests int,
  project text, "requestId" text, responses text, "isNew" boolean, provider text, wire text,
  inputs int, "delayMs" double precision`,
  (input) => sql`
    with ${input},
    known as materialized (
      select batch_requests.id, state from input join batch_requests on batch_requests.id = "requestId" and not "isNew"
      order by batch_requests.id for update of batch_requests
    ),
    entered as (
      update work set background = jsonb_build_object('step', work.step, 'model', work.model,
          'responses', responses::jsonb, 'inputs', input.inputs, 'at', now(), 'polls', 0,
          'batch', true, 'since', ${since}),
        due_at = coalesce(least(work.deadline_at, ${inMs(sql`"delayMs"`)}), 'infinity'), retry_at = ${retryAt},
        ${releaseSlot}, generation = work.generation + 1, lease_owner = null, lease_until = null,
        starts = 0, rescues = 0,
        draft = ${draftAfterTry}, failed_requests = failed_requests + requests, rate_limited = false,
        waiting_since = ${since}
      from input where work.id = "turnId" and status = 'in_progress' and work.step = input.step
        and work.model = input.model and ${mayGiveUp(sql`"ownGeneration"`)}
        and ("isNew" or exists (select from known where known.id = "requestId" and state <> 'answered'))
      returning work.id, work.key_id, work.step, work.model, input.project, "requestId", "isNew", input.provider, wire
    ),
    added as (
      insert into batch_requests (id, turn_id, project, key_id, step, model, provider, wire)
      select "requestId", id, project, key_id, step, model, provider, wire from entered where "isNew"
    )
    select id as "turnId" from entered`,
);
