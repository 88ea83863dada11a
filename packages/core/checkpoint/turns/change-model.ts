import { sql } from 'kysely';
import { newId } from '../../id.ts';
import type { TurnTrace } from '../../trace-context.ts';
import { timing } from '../../turn/timing.ts';
import type { TurnError } from '../../turn/turn.ts';
import type { TurnWakeup } from '../../turn/wakeup.ts';
import { draftAfterTry } from '../sql/draft.ts';
import { dueAtDeadline, dueIn } from '../sql/due.ts';
import { freshStep } from '../sql/fresh-step.ts';
import { mayGiveUp } from '../sql/lease.ts';
import { hasSlot } from '../sql/slot.ts';
import { rawJson, writeFor } from '../sql/statement.ts';
import { keepFailure } from '../sql/trace.ts';
import { wakeupColumns } from '../sql/wakeup.ts';
import type { Db } from '../tables.ts';

/** A round with a model that cannot answer, and the model to ask next. */
export type ModelChange = {
  turnId: string;
  step: string;
  /** The generation that the run has loaded. */
  generation: number;
  runId: string;
  round: number;
  from: string;
  to: string;
  /** The reason to give up the model. */
  error: TurnError;
  requests: number;
  /** The draft number of the run's lease, and whether the run has published text of the round. */
  draft: number | null;
  published: boolean;
  /** The failed try of the round, for the next span to link to, or null if it is not traced. */
  failed?: TurnTrace['failed'] | null;
};

/**
 * Hands a round to the next model, which begins it again: with all its attempts, due now, in the queue of its
 * provider. This is a negative write: only by the run with the lease, or if the step is free (R5). The generation
 * rises, so that no run of the earlier model writes the round (R11, R24). The turn requests a slot of that provider
 * (R27). Returns the wakeups to enqueue, or null if no row was written.
 */
export async function changeModel(db: Db, change: ModelChange): Promise<TurnWakeup[] | null> {
  const { turnId, step, generation, runId, requests, draft, published, round, from, to, error, failed } = change;
  const [written] = await write(db, {
    ...{ turnId, step, runId, requests, published, round },
    ...{ ownGeneration: generation, ownDraft: draft, toModel: to, toProvider: to.slice(0, to.indexOf('/')) },
    failed: rawJson(failed),
    eventData: rawJson({ round, from, to, error }),
    eventId: newId('evt'),
  });
  if (!written) return null;
  const { isDue, ...wakeup } = written;
  return isDue ? [wakeup] : [];
}

const write = writeFor<TurnWakeup & { isDue: boolean }>(
  sql`step text, "ownGeneration" int, "runId" text, requests int, "ownDraft" int, published boolean, "toModel" text,
  "toProvider" text, "eventData" text, failed text, "eventId" text`,
  (input) => sql`
    with ${input},
    changed as (
      update work set model = "toModel", provider = "toProvider", due_at = case when slot is null then ${dueIn(timing.graceMs)} else ${dueAtDeadline} end,
        slot = case when slot is not null then 'wanted' end, generation = work.generation + 1, draft = ${draftAfterTry}, ${freshStep}, waited_ms = 0,
        failed_requests = failed_requests + requests, last_event = last_event + 1
      from input where work.id = "turnId" and status = 'in_progress' and work.step = input.step
        and ${mayGiveUp(sql`"ownGeneration"`)}
      returning work.id, work.step, work.generation, provider, priority, slot, last_event, "eventData", "eventId", failed
    ),
    traced as (${keepFailure(sql`changed`)}
    ),
    event as (
      insert into events (turn_id, number, id, type, data)
      select id, last_event, "eventId", 'model.changed', "eventData"::json from changed
    )
    select ${wakeupColumns}, ${hasSlot} as "isDue" from changed as work`,
);
