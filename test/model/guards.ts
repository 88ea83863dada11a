import type { Guard } from './guard.ts';
import { answerGuards } from './guards/answer-guards.ts';
import { callGuards } from './guards/call-guards.ts';
import { deliveryGuards } from './guards/delivery-guards.ts';
import { endGuards } from './guards/end-guards.ts';
import { holdGuards } from './guards/hold-guards.ts';
import { writeGuards } from './guards/write-guards.ts';

/** Everything the protocol stands on, by name. Each of them is also a mutant: the protocol without it. */
export const allGuards = {
  ...{ ...holdGuards, ...writeGuards, ...callGuards },
  ...{ ...answerGuards, ...endGuards, ...deliveryGuards },
};

export type GuardName = keyof typeof allGuards;

/** Which guards are up. */
export type Guards = Readonly<Record<GuardName, boolean>>;

/** All guards by their names, in the order of the tables. */
export const guardNames: [GuardName, Guard][] = Object.entries(allGuards) as [GuardName, Guard][];

/** The protocol as built, but for the guards that are `down`. */
export function guardsUp(...down: GuardName[]): Guards {
  return Object.fromEntries(guardNames.map(([name]) => [name, !down.includes(name)])) as Guards;
}
