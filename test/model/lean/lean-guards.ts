import type { Left } from '../explore/plain-model.ts';
import type { GuardWords } from '../guards/guard.ts';
import type { LeanFault } from './lean-fault.ts';

/** One condition that the lean forms depend on, and the faults that show its lack. */
export type LeanGuard = GuardWords & { faults: Left<LeanFault>; caught: { broken: string } };

const TURNS = 'packages/core/checkpoint/turns';
const noDelivery = { broken: 'an event that an endpoint subscribes to was committed without its delivery' };
const dropped = { broken: 'a reply was dropped although its turn was at its round' };
const silent = { broken: 'a turn does not require action although each of its open calls waits' };

/** Nothing that an endpoint or a waiting call needs is left out by a run with old beliefs: R15, R16. */
export const leanGuards = {
  leanReplyChecksEndpoints: {
    ...{
      rule: 'R16',
      file: `${TURNS}/commits/write-reply.ts`,
      code: 'from input where isAtRound and nothingSubscribes',
    },
    shared: {
      file: 'packages/core/checkpoint/sql/deliveries.ts',
      code: 'nothingSubscribes: RawBuilder<boolean> = sqlnot hasEndpoints(sqlwork.project)',
    },
    without: 'a run that has seen no endpoint commits a reply in the lean form, whether one was enabled since or not',
    ...{ faults: { enable: 1 }, caught: noDelivery },
  },
  leanEndChecksEndpoints: {
    ...{ rule: 'R16', file: `${TURNS}/commits/write-ending.ts` },
    code: 'noOtherWaits join work on mayEnd and nothingSubscribes for no key update of work',
    without: 'a run that has seen no endpoint ends its turn in the lean form, whether one was enabled since or not',
    ...{ faults: { enable: 1 }, caught: noDelivery },
  },
  refusedReplyIsWrittenInFull: {
    ...{
      rule: 'R16',
      file: `${TURNS}/save-round.ts`,
      code: 'savedBy(lean ?? (await writeReply(db, rowOfRound(round)))[0])',
    },
    without: 'a refusal of the lean form counts as a refusal of the reply',
    ...{ faults: { enable: 1 }, caught: dropped },
  },
  refusedEndIsWrittenInFull: {
    ...{ rule: 'R16', file: `${TURNS}/end.ts` },
    code: 'return wakeups ?? db.transaction().execute((trx) => endTurn(trx, ending))',
    without: 'a refusal of the lean form counts as a refusal of the end',
    ...{ faults: { enable: 1 }, caught: dropped },
  },
  waitingCallsAreCounted: {
    ...{
      rule: 'R15',
      file: `${TURNS}/save-round.ts`,
      code: 'calls.every(( waitsFor, result ) => waitsFor === null && !result)',
    },
    without: 'a reply of which one call runs and one waits is committed in the lean form',
    ...{ faults: {}, caught: silent },
  },
  leanBatchChecksWaiting: {
    ...{ rule: 'R15', file: `${TURNS}/commits/advance-batch.ts`, code: 'isLean ? sqland waiting_calls = 0 : sql' },
    without: 'a run that has seen no waiting call answers in the lean form a batch that was written again since',
    ...{ faults: { failover: 1 }, caught: silent },
  },
} satisfies Record<string, LeanGuard>;

/** Which guards are up. */
export type LeanGuards = Readonly<Record<keyof typeof leanGuards, boolean>>;
