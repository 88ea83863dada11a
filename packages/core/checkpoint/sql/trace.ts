import { type RawBuilder, sql } from 'kysely';

/**
 * Adds the failed try (`failed` of the statement's input) to the traces of turns. `from` is the CTE that wrote their
 * work. Without a traced try, no trace is written.
 */
export function keepFailure(from: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
      update turns set trace = (coalesce(turns.trace::jsonb, '{}') || jsonb_build_object('failed', failed::jsonb))::json
      from ${from} as written where turns.id = written.id and failed is not null`;
}

/** The trace of a turn after one more reopening, now. */
export const traceWithReopening = sql`(coalesce(trace::jsonb, '{}') || jsonb_build_object(
  'reopened', coalesce((trace ->> 'reopened')::int, 0) + 1, 'reopenedAt', now()))::json`;
