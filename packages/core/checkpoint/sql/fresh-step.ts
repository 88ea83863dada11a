import { type RawBuilder, sql } from 'kysely';

/** What runs leave behind: none has the step, and none was lost with it. */
const RUNS = { lease_owner: null, lease_until: null, starts: 0, rescues: 0 };

/** Columns of a step without failed tries: no count, no pause, and no tier that was refused or left (R24). */
const TRIES = { attempts: 0, retry_at: null, tier_wait: null };

/**
 * The columns of `work` that a commit resets when it moves a turn to another step (`turn/predict.ts` predicts the
 * same). It sets `generation` itself: 0, but for a step that was enqueued before. The edition of a round stays: a retry goes on
 * from it, and a batch has none.
 */
export const freshStep: RawBuilder<unknown> = sql`${reset(RUNS)}, ${reset(TRIES)}, rate_limited = false, waiting_since = now()`;

/**
 * The same part by part, for a statement where only some turns move, where `condition` holds. A fresh round begins with
 * edition 0.
 */
export function resetIf(columns: 'runs' | 'tries and edition', condition: RawBuilder<unknown>): RawBuilder<unknown> {
  return reset(columns === 'runs' ? RUNS : { ...TRIES, edition: 0 }, condition);
}

function reset(columns: Record<string, number | null>, condition?: RawBuilder<unknown>): RawBuilder<unknown> {
  const assignments = Object.entries(columns).map(([column, fresh]) => {
    const value = condition
      ? sql`case when ${condition} then ${sql.lit(fresh)} else ${sql.ref(`work.${column}`)} end`
      : sql.lit(fresh);
    return sql`${sql.ref(column)} = ${value}`;
  });
  return sql.join(assignments);
}
