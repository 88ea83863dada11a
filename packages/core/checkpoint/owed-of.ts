import type { DeliveryRing, Ring, TurnRing } from '../turn/ring.ts';

/** A written turn's ring, whether its step is owed now, and the deliveries that are; null for none. */
export type OwedRow = TurnRing & { isOwed: boolean; deliveryIds: string[] | null };

/** The rings a commit owes; none where nothing was written. */
export function owedOf(row: OwedRow | undefined): Ring[] {
  if (!row) return [];
  const { kind, turnId, step, number, provider, priority } = row;
  const turn: Ring[] = row.isOwed ? [{ kind, turnId, step, number, provider, priority }] : [];
  return [...turn, ...firstRings(row.deliveryIds)];
}

/** The rings of deliveries that were just made owed. */
export function firstRings(deliveryIds: string[] | null): DeliveryRing[] {
  return (deliveryIds ?? []).map((deliveryId) => ({ kind: 'delivery', deliveryId, number: 0 }));
}
