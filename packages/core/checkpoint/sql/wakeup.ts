import { type RawBuilder, sql } from 'kysely';
import { ADMITTED_PRIORITY, type DeliveryWakeup, type TurnWakeup, type Wakeup } from '../../turn/wakeup.ts';

/** The columns of `turns` that make a wake-up. */
export const wakeupColumns: RawBuilder<TurnWakeup> = sql`'turn' as kind, turns.id as "turnId", turns.step,
  turns.generation, turns.provider, case when turns.place = 'held' then ${ADMITTED_PRIORITY} else turns.priority end as priority`;

/** The wake-up of a written turn, whether its step is due now, and the new deliveries; null for none. */
export type DueRow = TurnWakeup & { isDue: boolean; deliveryIds: string[] | null };

/** The wake-ups to enqueue after a commit; none where nothing was written. */
export function dueWakeups(row: DueRow | undefined): Wakeup[] {
  if (!row) return [];
  const { kind, turnId, step, generation, provider, priority } = row;
  const turn: Wakeup[] = row.isDue ? [{ kind, turnId, step, generation, provider, priority }] : [];
  return [...turn, ...firstWakeups(row.deliveryIds)];
}

/** The wake-ups of new deliveries. */
export function firstWakeups(deliveryIds: string[] | null): DeliveryWakeup[] {
  return (deliveryIds ?? []).map((deliveryId) => ({ kind: 'delivery', deliveryId, generation: 0 }));
}
