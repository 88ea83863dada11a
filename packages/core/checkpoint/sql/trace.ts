import { type RawBuilder, sql } from 'kysely';

/**
 * Adds the try that has just failed, `failed` of the statement's input, to the traces of turns; `from` is the CTE that
 * wrote their work. Without a traced try, nothing is written.
 */
export function keepFailure(from: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
      update turns set trace = (coalesce(turns.trace::jsonb, '{}') || jsonb_build_object('failed', failed::jsonb))::json
      from ${from} as written where turns.id = written.id and failed is not null`;
}

/** The trace of a turn that is reopened once more, now. */
export const traceWithReopening = sql`(coalesce(trace::jsonb, '{}') || jsonb_build_object(
  'reopened', coalesce((trace ->> 'reopened')::int, 0) + 1, 'reopenedAt', now()))::json`;
