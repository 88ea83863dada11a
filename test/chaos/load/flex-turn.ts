import type { z } from 'zod';
import type { Script } from '#simulator/script.ts';
import type { TurnPlan } from './turn-plan.ts';

type Fault = NonNullable<NonNullable<z.input<typeof Script>['final']>['fault']>;

/** The turns out of sixteen, an odd and an even number, since the number decides on the wire. */
const NUMBERS = [3, 10];

/** Returns whether a turn asks on `flex` with a fallback: every eighth turn, unless it has another purpose. */
export function isFlexTurn({ number, shape, trouble }: Pick<TurnPlan, 'number' | 'shape' | 'trouble'>): boolean {
  return NUMBERS.includes(number % 16) && shape !== 'response' && trouble === null;
}

/** Returns the provider's refusal of the first round of a turn on `flex`: always, or only of the first attempt. */
export function flexRefusal({ number }: Pick<TurnPlan, 'number'>): Fault {
  const error = { message: 'Resource unavailable. Try again later.', code: 'resource_unavailable' };
  const refused = { kind: 'status' as const, status: 429, body: { error }, service_tier: 'flex' };
  return number % 32 < 16 ? refused : { ...refused, times: 1 };
}
