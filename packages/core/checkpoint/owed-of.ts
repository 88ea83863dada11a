import type { Ring, TurnRing } from '../turn/ring.ts';

/** A written turn's ring, whether its step is owed now, and the delivery that is. */
export type OwedRow = TurnRing & { isOwed: boolean; deliveryId: string | null };

/** The rings a commit owes; none where nothing was written. */
export function owedOf(row: OwedRow | undefined): Ring[] {
  if (!row) return [];
  const { kind, turnId, step, number, provider, priority } = row;
  const turn: Ring[] = row.isOwed ? [{ kind, turnId, step, number, provider, priority }] : [];
  return row.deliveryId ? [...turn, { kind: 'delivery', deliveryId: row.deliveryId, number: 0 }] : turn;
}
