import type { Left } from '../explore/plain-model.ts';
import type { GuardWords } from '../guards/guard.ts';
import type { ForkFault } from './fork-state.ts';

/** One condition that forks depend on, and what callers do where its lack shows. */
export type ForkGuard = GuardWords & { faults: Left<ForkFault>; caught: { broken: string } };

const changed = { broken: 'what a fork stands on changed' };
const plan = 'packages/core/turn/forks/plan-fork.ts';
const erase = 'packages/core/checkpoint/deletion/erase-rounds.ts';

/** What keeps the rounds that a fork stands on, and no others: R37. */
export const forkGuards = {
  forkLocksOrigin: {
    ...{ rule: 'R37', file: 'services/api/forks/start-fork.ts', code: 'await lockLine(trx, project, conversationId)' },
    without: 'a turn is looked at for a fork before its conversation is locked, and deleted in between',
    ...{ faults: { fork: 1, remove: 1 }, caught: { broken: 'a fork stands on a turn that is gone' } },
  },
  forkedRoundIsAnswered: {
    ...{ rule: 'R37', file: plan, code: 'afterRound > answered.length' },
    without: 'a fork stands on a round with a call that is answered later',
    ...{ faults: { fork: 1 }, caught: changed },
  },
  forkReadsUpToItsRound: {
    ...{ rule: 'R37', file: 'packages/core/checkpoint/turns/reading/history.ts', code: 'turnUpTo(turn, round)' },
    without: 'a fork reads rounds that came after it was made',
    ...{ faults: { fork: 1 }, caught: changed },
  },
  answerStaysOneRound: {
    ...{ rule: 'R37', file: 'packages/core/turn/forks/turn-up-to.ts', code: 'answeringRound(turn)?.number === round' },
    without: 'a fork reads the output of a turn whose end came after it was made',
    ...{ faults: { fork: 1 }, caught: changed },
  },
  stoodOnIsKept: {
    ...{ rule: 'R37', file: erase, code: 'number > last' },
    without: 'a delete of the turn erases rounds that a fork stands on',
    ...{ faults: { fork: 1, remove: 1 }, caught: changed },
  },
  restIsErased: {
    ...{
      rule: 'R37',
      file: 'packages/core/checkpoint/deletion/remove-turns.ts',
      code: 'await eraseRounds(trx, lines)',
    },
    without: 'a delete of the turn keeps rounds that no fork stands on',
    ...{ faults: { fork: 1, remove: 1 }, caught: { broken: 'a round is kept for nothing' } },
  },
  lastForkErases: {
    ...{
      rule: 'R37',
      file: 'packages/core/checkpoint/deletion/erase-lines.ts',
      code: 'await eraseRounds(trx, [...origins])',
    },
    without: 'what only a deleted fork stood on is kept',
    ...{ faults: { fork: 2, remove: 1, drop: 1 }, caught: { broken: 'a round is kept for nothing' } },
  },
} satisfies Record<string, ForkGuard>;

/** Which guards are up. */
export type ForkGuards = Readonly<Record<keyof typeof forkGuards, boolean>>;
