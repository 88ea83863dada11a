/**
 * What a commit makes owed, in the words a queue needs: look at this turn, or at this delivery.
 * A job id is used once per (step, number); ringing the same step again needs a higher number (R11).
 */
export type Ring = TurnRing | DeliveryRing;

export type TurnRing = {
  kind: 'turn';
  turnId: string;
  step: string;
  number: number;
  provider: string;
  priority: number;
  delayMs?: number;
  /** The turn is past its deadline, and there is nothing to ask its provider any more. */
  overdue?: boolean;
};

export type DeliveryRing = { kind: 'delivery'; deliveryId: string; number: number; delayMs?: number };
