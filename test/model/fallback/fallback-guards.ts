import type { Left } from '../explore/plain-model.ts';
import { type GuardWords, MAY_GIVE_UP } from '../guards/guard.ts';
import type { FallbackFault } from './fallback-state.ts';

/** One condition that a change of models depends on, and the faults that show its lack. */
export type FallbackGuard = GuardWords & {
  faults: Left<FallbackFault>;
  caught: { broken: string } | 'stuck';
};

const CHANGE = 'packages/core/checkpoint/turns/change-model.ts';
const wrongModel = { broken: 'a turn went on from a model that it was not at' };
const leftReply = { broken: 'a reply was saved of a model that the turn had left' };

/** What keeps a turn from asking its models out of order, or one of them for nothing: R24. */
export const fallbackGuards = {
  changeIsCommittedFirst: {
    ...{
      rule: 'R24',
      file: 'services/worker/round/retry-round.ts',
      code: 'if (to) return leaveModel(run, ...unanswered, to , context);',
    },
    without: 'a run asks the next model before the change to it is committed',
    ...{ faults: { definite: 1 }, caught: { broken: 'a model was asked before the change to it was committed' } },
  },
  leaseChecksModel: {
    ...{
      rule: 'R24',
      file: 'packages/core/checkpoint/turns/lease.ts',
      code: 'at_head and model = "ownModel" and work.step',
    },
    without: 'a run that loaded the turn before the change takes its lease after it',
    ...{
      faults: { duplicate: 1, definite: 1 },
      caught: { broken: 'a model was asked again that the turn had left' },
    },
  },
  changeChecksLease: {
    ...{ rule: 'R24', file: CHANGE, code: 'and mayGiveUp(sql"ownGeneration")', shared: MAY_GIVE_UP },
    without: 'a run without the lease leaves a model while another run asks it',
    ...{
      faults: { duplicate: 1, definite: 1 },
      caught: { broken: 'a model was left while another run asked it' },
    },
  },
  changeChecksGeneration: {
    ...{ rule: 'R24', file: CHANGE, code: 'and mayGiveUp(sql"ownGeneration")', shared: MAY_GIVE_UP },
    without: 'a run without the lease leaves a model of an earlier generation',
    ...{ faults: { lostAck: 1, definite: 1 }, caught: wrongModel },
  },
  changeRaisesGeneration: {
    ...{ rule: 'R24', file: CHANGE, code: 'generation = work.generation + 1' },
    without: 'a change of models leaves the generation as it is',
    ...{ faults: { lostAck: 1, definite: 1 }, caught: wrongModel },
  },
  changeClearsTries: {
    ...{ rule: 'R24', file: CHANGE, code: 'freshStep, waited_ms = 0' },
    without: 'the failed tries of the model before count against the next one',
    ...{ faults: { later: 3 }, caught: { broken: 'a model was left before its tries were used up' } },
  },
  changeIsDue: {
    ...{ rule: 'R24', file: CHANGE, code: 'due_at = case when place is null then dueIn(timing.graceMs)' },
    without: 'a change of models leaves the turn due at no time',
    ...{ faults: { definite: 1, flush: 1 }, caught: 'stuck' },
  },
  leftModelSavesNoRound: {
    ...{
      rule: 'R24',
      file: 'packages/core/checkpoint/turns/commits/write-reply.ts',
      code: `work.step = 'r' || "roundNumber" and work.model = input.model`,
    },
    without: 'a late reply with calls is saved, whatever model the turn is at',
    ...{ faults: { duplicate: 1, definite: 1 }, caught: leftReply },
  },
  leftModelAnswersNothing: {
    ...{
      rule: 'R24',
      file: 'packages/core/checkpoint/turns/commits/write-ending.ts',
      code: '("roundNumber" is null or work.model = input.model)',
    },
    without: 'a late answer is saved, whatever model the turn is at',
    ...{ faults: { duplicate: 1, definite: 1 }, caught: leftReply },
  },
} satisfies Record<string, FallbackGuard>;

/** Which guards are up. */
export type FallbackGuards = Readonly<Record<keyof typeof fallbackGuards, boolean>>;
