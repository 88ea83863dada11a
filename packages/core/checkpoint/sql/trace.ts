import { sql } from 'kysely';

/** The trace of a turn with the try that has just failed, `failed` of the statement's input; as it was where that is null. */
export const traceWithFailure = sql`case when failed is null then turns.trace
  else (coalesce(turns.trace::jsonb, '{}') || jsonb_build_object('failed', failed::jsonb))::json end`;

/** The trace of a turn that is reopened once more, now. */
export const traceWithReopening = sql`(coalesce(trace::jsonb, '{}') || jsonb_build_object(
  'reopened', coalesce((trace ->> 'reopened')::int, 0) + 1, 'reopenedAt', now()))::json`;
