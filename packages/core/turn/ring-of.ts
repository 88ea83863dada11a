import type { TurnRing } from './ring.ts';
import type { Turn } from './turn.ts';

/** The ring for the step a turn owes now; the same one its last commit rang (R11). */
export function ringOf({ id, priority, config: { model }, work }: Turn): TurnRing {
  const provider = model.slice(0, model.indexOf('/'));
  return { kind: 'turn', turnId: id, step: work.step, number: work.ring, provider, priority };
}
