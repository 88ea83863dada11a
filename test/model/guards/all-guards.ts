import { answerGuards } from './answer-guards.ts';
import { callGuards } from './call-guards.ts';
import { continueGuards } from './continue-guards.ts';
import { deliveryGuards } from './delivery-guards.ts';
import { endGuards } from './end-guards.ts';
import type { Up } from './guard.ts';
import { handOverGuards } from './hand-over-guards.ts';
import { leaseGuards } from './lease-guards.ts';
import { repairGuards } from './repair-guards.ts';
import { writeGuards } from './write-guards.ts';

/** All guards of the protocol, by name. Each guard is also a mutant: the protocol without it. */
export const allGuards = {
  ...{ ...leaseGuards, ...continueGuards, ...writeGuards, ...callGuards },
  ...{ ...answerGuards, ...endGuards, ...deliveryGuards, ...handOverGuards, ...repairGuards },
};

export type Guards = Up<typeof allGuards>;
