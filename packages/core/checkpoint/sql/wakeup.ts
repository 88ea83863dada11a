import { type RawBuilder, sql } from 'kysely';
import { ADMITTED_PRIORITY, DELIVERIES_DUE, type TurnWakeup, type Wakeup } from '../../turn/wakeup.ts';

export const wakeupColumns: RawBuilder<TurnWakeup> = sql`'turn' as kind, work.id as "turnId", work.step,
  work.generation, work.provider, case when work.slot = 'held' then ${ADMITTED_PRIORITY} else work.priority end as priority`;

/**
 * The run with the lease after a commit that moves its turn to the next step. Only the commit can have given that
 * lease, so this run continues (R3).
 */
export const nextRun: RawBuilder<{ nextRun: string | null }> = sql`work.lease_owner as "nextRun"`;

/** The wakeup of a written turn, whether its step is due now, and whether it has new deliveries. */
export type DueRow = Omit<TurnWakeup, 'nextRun'> & { nextRun?: string | null; isDue: boolean; delivers: boolean };

/** Returns whether a written turn, a row of the relation `of`, has new deliveries in the CTE `delivery`. */
export function delivers(of: string): RawBuilder<boolean> {
  return sql`exists (select from delivery where turn_id = ${sql.ref(`${of}.id`)}) as delivers`;
}

/** Returns the wakeups to enqueue after a commit, or no wakeup without a written row. */
export function dueWakeups(row: DueRow | undefined): Wakeup[] {
  if (!row) return [];
  const { kind, turnId, step, generation, provider, priority } = row;
  const given = row.nextRun ? { nextRun: row.nextRun } : {};
  const turn: Wakeup[] = row.isDue ? [{ kind, turnId, step, generation, provider, priority, ...given }] : [];
  return row.delivers ? [...turn, DELIVERIES_DUE] : turn;
}
