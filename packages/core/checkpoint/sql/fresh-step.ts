import { type RawBuilder, sql } from 'kysely';
import { timing } from '../../turn/timing.ts';
import { dueIn, inMs } from './due.ts';
import { dueWithPlace, hasPlace } from './place.ts';

type Columns = Record<string, RawBuilder<unknown>>;

/** A step that no run is on, and with which none was lost. */
const FREE: Columns = { lease_owner: sql`null`, lease_until: sql`null`, starts: sql`0`, rescues: sql`0` };

/** The column "nextRun" of an input: the run that continues with the step that is due next; null for none. */
export const nextRunColumn = sql`"nextRun" text`;

/**
 * The condition that a commit gives the lease of the step that it makes due to the run "nextRun" (R3). A turn without a
 * place has to wait for it (R27).
 */
const continues = sql`("nextRun" is not null and ${hasPlace})`;

/** A step that the run "nextRun" is on, if a worker continues with it. It counts as a start, as each lease does. */
const CONTINUED: Columns = {
  lease_owner: sql`case when ${continues} then "nextRun" end`,
  lease_until: sql`case when ${continues} then ${inMs(timing.leaseMs)} end`,
  starts: sql`${continues}::int`,
  rescues: sql`0`,
};

/** A step without failed tries: no count, no pause, and no tier that was refused or left (R24). */
const TRIES: Columns = { attempts: sql`0`, retry_at: sql`null`, tier_wait: sql`null` };

const NOW_DUE: Columns = { rate_limited: sql`false`, waiting_since: sql`now()` };

/**
 * The columns of `work` that a commit resets when it moves a turn to another step (`turn/predict.ts` predicts the
 * same). It sets `generation` itself: 0, but for a step that was enqueued before. The edition of a round stays: a retry
 * goes on from it, and a batch has none.
 */
export const freshStep: RawBuilder<unknown> = assign({ ...FREE, ...TRIES, ...NOW_DUE });

/** The same for a step that the run "nextRun" may continue with. */
export const freshOrContinued: RawBuilder<unknown> = assign({ ...CONTINUED, ...TRIES, ...NOW_DUE });

/** When a worker should be on such a step: by the end of its lease if a run continues, else after the grace. */
export const dueNext: RawBuilder<Date> = sql`case when ${continues} then ${inMs(timing.leaseMs)}
  else ${dueWithPlace(dueIn(timing.graceMs))} end`;

/** The edition after a lease that a commit gives to the run "nextRun", which has the edition `before` (R18). */
export function editionNext(before: RawBuilder<unknown>): RawBuilder<number> {
  return sql`${before} + ${continues}::int`;
}

/**
 * Assigns the columns of the runs of a step for a statement that moves only some turns: those `isDue` to a step that the
 * run "nextRun" may continue with, those `isFreed` to a step that waits.
 */
export function runsIf(isDue: RawBuilder<unknown>, isFreed?: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql.join(
    Object.entries(FREE).map(([column, free]) => {
      const freed = isFreed ? sql` when ${isFreed} then ${free}` : sql``;
      return sql`${sql.ref(column)} = case when ${isDue} then ${CONTINUED[column]}${freed} else ${sql.ref(`work.${column}`)} end`;
    }),
  );
}

/** Assigns the columns of the tries of a step, and its edition, where `condition` holds. A fresh round begins with edition 0. */
export function triesIf(condition: RawBuilder<unknown>): RawBuilder<unknown> {
  const fresh = { ...TRIES, edition: editionNext(sql`0`) };
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
