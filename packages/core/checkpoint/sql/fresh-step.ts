import { type RawBuilder, sql } from 'kysely';
import { timing } from '../../turn/timing.ts';
import { dueIn, inMs } from './due.ts';
import { dueWithSlot, hasSlot } from './slot.ts';

type Columns = Record<string, RawBuilder<unknown>>;

/** A step that has no run and has lost no run. */
const FREE: Columns = { lease_owner: sql`null`, lease_until: sql`null`, starts: sql`0`, rescues: sql`0` };

/** The input column "nextRun": the run that continues with the next due step, or null. */
export const nextRunColumn = sql`"nextRun" text`;

/**
 * The condition that a commit gives the lease of the step that it makes due to the run "nextRun" (R3). A turn without
 * a slot has to wait for a slot (R27).
 */
const continues = sql`("nextRun" is not null and ${hasSlot})`;

/** A step of the run "nextRun", if a worker continues with the step. It counts as a start, like each lease. */
const CONTINUED: Columns = {
  lease_owner: sql`case when ${continues} then "nextRun" end`,
  lease_until: sql`case when ${continues} then ${inMs(timing.leaseMs)} end`,
  starts: sql`${continues}::int`,
  rescues: sql`0`,
};

/** A step without failed attempts: no count, no pause, and no refused or abandoned tier (R24). */
const TRIES: Columns = { attempts: sql`0`, retry_at: sql`null`, tier_wait: sql`null` };

const NOW_DUE: Columns = { rate_limited: sql`false`, waiting_since: sql`now()` };

/**
 * The columns of `work` that a commit resets when it moves a turn to another step (`turn/predict.ts` predicts the
 * same). The commit sets `generation`: 0, except for a step that was enqueued before. The draft of a round stays for
 * a retry. A batch has no draft.
 */
export const freshStep: RawBuilder<unknown> = assign({ ...FREE, ...TRIES, ...NOW_DUE });

/** The same for a step that the run "nextRun" may continue. */
export const freshOrContinued: RawBuilder<unknown> = assign({ ...CONTINUED, ...TRIES, ...NOW_DUE });

/**
 * The time when a worker should be on such a step: the end of its lease if a run continues, else after the grace
 * time.
 */
export const dueNext: RawBuilder<Date> = sql`case when ${continues} then ${inMs(timing.leaseMs)}
  else ${dueWithSlot(dueIn(timing.graceMs))} end`;

/**
 * Returns the draft after a lease that a commit may give to the run "nextRun", which has the draft `before` (R18).
 */
export function draftNext(before: RawBuilder<unknown>): RawBuilder<number> {
  return sql`${before} + ${continues}::int`;
}

/**
 * Assigns the run columns of a step for a statement that moves only some turns. `isDue` turns move to a step that the
 * run "nextRun" may continue, and `isFreed` turns to a waiting step.
 */
export function runsIf(isDue: RawBuilder<unknown>, isFreed?: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql.join(
    Object.entries(FREE).map(([column, free]) => {
      const freed = isFreed ? sql` when ${isFreed} then ${free}` : sql``;
      return sql`${sql.ref(column)} = case when ${isDue} then ${CONTINUED[column]}${freed} else ${sql.ref(`work.${column}`)} end`;
    }),
  );
}

/**
 * Assigns the columns of attempts of a step, and its draft number, if `condition` is true. A fresh round begins
 * with draft number 0.
 */
export function triesIf(condition: RawBuilder<unknown>): RawBuilder<unknown> {
  const fresh = { ...TRIES, draft: draftNext(sql`0`) };
  return sql.join(
    Object.entries(fresh).map(
      ([column, value]) =>
        sql`${sql.ref(column)} = case when ${condition} then ${value} else ${sql.ref(`work.${column}`)} end`,
    ),
  );
}

function assign(columns: Columns): RawBuilder<unknown> {
  return sql.join(Object.entries(columns).map(([column, value]) => sql`${sql.ref(column)} = ${value}`));
}
