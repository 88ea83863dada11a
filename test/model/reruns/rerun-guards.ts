import type { Left } from '../explore/plain-model.ts';
import { type GuardWords, inReply } from '../guards/guard.ts';
import type { RerunFault } from './rerun-state.ts';

/** One condition that reruns depend on, and what happens where its lack shows. */
export type RerunGuard = GuardWords & { faults: Left<RerunFault>; caught: 'stuck' | { broken: string } };

const commit = 'packages/core/checkpoint/turns/save-round.ts';
const ran = { broken: 'a call ran that has a recorded result' };

/** What keeps the calls of a rerun from being made twice: R38. */
export const rerunGuards = {
  resultsAreSavedWithTheRound: {
    ...{ rule: 'R38', file: commit, code: 'columnsOfRound( ...round, calls )' },
    shared: inReply('calls as (insertCalls(sql`target`, sql`"roundNumber"`))'),
    without:
      'calls are saved open and answered from the record afterwards, so that another worker runs them in between',
    ...{ faults: { job: 1 }, caught: ran },
  },
  unrecordedIsDeniedWithTheRound: {
    ...{
      rule: 'R38',
      file: 'packages/core/turn/forks/recorded-results.ts',
      code: "call.effect === 'at_most_once' ? { result: NOT_RECORDED",
    },
    without: 'whether a call that may be made once is denied is decided by the run that would make it',
    ...{ faults: { job: 1 }, caught: { broken: 'a call that may be made once was made without a record' } },
  },
  wholeBatchMovesOn: {
    ...{ rule: 'R38', file: commit, code: 'const open = calls.filter((call) => !call.result);' },
    shared: inReply(`"openCalls" = 0 as is_complete`),
    without: 'the batch of a round whose calls are all answered is due, and nothing in it is left to complete it',
    ...{ faults: {}, caught: 'stuck' },
  },
  recordEndsWithTheStart: {
    ...{
      rule: 'R38',
      file: 'packages/core/checkpoint/turns/reruns/recorded-results.ts',
      code: 'completed_at <= (select created_at from turns',
    },
    without: 'what a retry of the turn adds to it is taken for a result of before',
    ...{ faults: { retry: 1 }, caught: { broken: 'a rerun took a result that came after its start' } },
  },
  recordOutlivesItsTurn: {
    ...{ rule: 'R38', file: 'packages/core/checkpoint/deletion/erase-rounds.ts', code: 'round > last and not reused' },
    without: 'a delete of the turn takes the recorded results from a rerun',
    ...{ faults: { remove: 1 }, caught: ran },
  },
} satisfies Record<string, RerunGuard>;

/** Which guards are up. */
export type RerunGuards = Readonly<Record<keyof typeof rerunGuards, boolean>>;
