import { sql } from 'kysely';
import { rawJson, writeFor } from '../sql/statement.ts';
import type { Db } from '../tables.ts';

/** A response that a run has created for its round. */
export type NewResponse = {
  turnId: string;
  project: string;
  step: string;
  /** The model of the request, as `provider/model`. */
  model: string;
  runId: string;
  provider: string;
  responseId: string;
  /** The responses that the round waits for from now on: those that its reply has used, and the new response. */
  responses: readonly string[];
  /** How many joined inputs of its turn the response has received (R29). */
  inputs: number;
};

/**
 * Commits the id of a response before its text is published (R40). Only the run with the lease does so, even if the
 * lease has expired without another owner. In any case the response gets a row, so that it is closed if no round waits
 * for it (R41). Returns false if the run has lost its step.
 */
export async function saveResponse(db: Db, { responses, ...response }: NewResponse): Promise<boolean> {
  return (await save(db, { ...response, responses: rawJson(responses) })).length > 0;
}

const save = writeFor<{ turnId: string }>(
  sql`project text, step text, model text, "runId" text, provider text, "responseId" text, responses text, inputs int`,
  (input) => sql`
    with ${input},
    kept as (
      insert into background_responses (provider, id, turn_id, project, key_id, step, model)
      select provider, "responseId", "turnId", project, (select key_id from turns where id = "turnId"), step, model
      from input on conflict do nothing
    )
    update work set background = jsonb_build_object('step', work.step, 'model', work.model,
      'responses', responses::jsonb, 'inputs', input.inputs, 'at', now(), 'polls', 0)
    from input where work.id = "turnId" and work.step = input.step and work.model = input.model
      and lease_owner = "runId"
    returning work.id as "turnId"`,
);
