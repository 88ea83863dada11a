import type { Left } from '../explore/plain-model.ts';
import { type GuardWords, MAY_GIVE_UP } from '../guards/guard.ts';
import type { TierFault } from './tier-state.ts';

/** One condition that a change of tiers depends on, and the faults that show its lack. */
export type TierGuard = GuardWords & {
  /** One unless given. */
  rounds?: number;
  faults: Left<TierFault>;
  caught: { broken: string } | 'stuck';
};

const POSTPONE = 'packages/core/checkpoint/turns/postpone.ts';
const ROUND = 'services/worker/round/retry-round.ts';
const tooEarly = { broken: 'a round was asked on default before the change to it was committed' };
const tooMany = { broken: 'a round has counted more refusals than it had' };

/** What keeps a round from leaving its tier too early, twice, or for longer than the round: R24. */
export const tierGuards = {
  tierChangeIsCommittedFirst: {
    ...{
      rule: 'R24',
      file: ROUND,
      code: "if (next.kind === 'change') return leaveTier(run, step, because: next.because , context);",
    },
    without: 'a run asks on the next tier before the change to it is committed',
    ...{ faults: { refused: 3 }, caught: tooEarly },
  },
  leaseChecksTier: {
    ...{
      rule: 'R24',
      file: 'packages/core/checkpoint/turns/lease.ts',
      code: `tier_wait ->> 'tier' is not distinct from "ownTier"`,
    },
    without: 'a run that loaded the turn before the change takes its lease after it',
    ...{
      faults: { refused: 3, duplicate: 1 },
      caught: { broken: 'a run took its step on a tier that the round had left' },
    },
  },
  tierChangeChecksLease: {
    ...{ rule: 'R24', file: POSTPONE, code: 'and mayGiveUp(sql"ownGeneration")', shared: MAY_GIVE_UP },
    without: 'a run without the lease leaves a tier while another run asks on it',
    ...{
      faults: { refused: 3, duplicate: 1, stall: 1 },
      caught: { broken: 'a tier was left while another run asked on it' },
    },
  },
  tierChangeChecksGeneration: {
    ...{ rule: 'R24', file: POSTPONE, code: 'and mayGiveUp(sql"ownGeneration")', shared: MAY_GIVE_UP },
    without: 'a refusal whose commit got no answer is committed again',
    ...{ faults: { refused: 1, lostAck: 1 }, caught: tooMany },
  },
  tierChangeRaisesGeneration: {
    ...{ rule: 'R24', file: POSTPONE, code: 'generation = work.generation + 1' },
    without: 'a refusal leaves the generation as it is',
    ...{ faults: { refused: 1, lostAck: 1 }, caught: tooMany },
  },
  tierChangeIsDue: {
    ...{ rule: 'R24', file: POSTPONE, code: 'update work set due_at = least(inMs(' },
    without: 'a change of tiers leaves the turn due at no time',
    ...{ faults: { late: 1, flush: 1 }, caught: 'stuck' },
  },
  refusalUsesNoTry: {
    ...{ rule: 'R24', file: ROUND, code: 'counts: false, waitedMs: 0, lacksCapacity: true' },
    without: 'a refusal for lack of capacity counts as a failed try',
    ...{ faults: { refused: 1, later: 1 }, caught: { broken: 'a turn failed before its tries were used up' } },
  },
  freshStepClearsTier: {
    ...{ rule: 'R24', file: 'packages/core/checkpoint/sql/fresh-step.ts', code: 'tier_wait: sql`null`' },
    without: 'the next round begins on the tier that the round before has changed to',
    ...{ rounds: 2, faults: { refused: 2 }, caught: tooMany },
  },
} satisfies Record<string, TierGuard>;

/** Which guards are up. */
export type TierGuards = Readonly<Record<keyof typeof tierGuards, boolean>>;
