import { answerGuards } from './answer-guards.ts';
import { callGuards } from './call-guards.ts';
import { continueGuards } from './continue-guards.ts';
import { deliveryGuards } from './delivery-guards.ts';
import { endGuards } from './end-guards.ts';
import { type Guard, upExcept } from './guard.ts';
import { handOverGuards } from './hand-over-guards.ts';
import { leaseGuards } from './lease-guards.ts';
import { repairGuards } from './repair-guards.ts';
import { writeGuards } from './write-guards.ts';

/** Everything the protocol depends on, by name. Each guard is also a mutant: the protocol without it. */
export const allGuards = {
  ...{ ...leaseGuards, ...continueGuards, ...writeGuards, ...callGuards },
  ...{ ...answerGuards, ...endGuards, ...deliveryGuards, ...handOverGuards, ...repairGuards },
};

export type GuardName = keyof typeof allGuards;

/** Which guards are up. */
export type Guards = Readonly<Record<GuardName, boolean>>;

/** All guards by their names, in the order of the tables. */
export const guardNames: [GuardName, Guard][] = Object.entries(allGuards) as [GuardName, Guard][];

/** The protocol as built, but for the guards that are `down`. */
export function guardsUp(...down: GuardName[]): Guards {
  return upExcept(allGuards, down);
}
