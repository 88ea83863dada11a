import type { Left } from '../explore/plain-model.ts';
import { type GuardWords, inReply } from '../guards/guard.ts';
import type { UsageFault } from './usage-fault.ts';

/** One condition that usage depends on, and the faults that show its lack. */
export type UsageGuard = GuardWords & { faults: Left<UsageFault>; caught: { broken: string } };

const rollUp = 'packages/core/checkpoint/usage/roll-up-usage.ts';
const lost = { broken: 'usage was lost' };

/** What keeps usage from being lost, or counted twice: R33. */
export const usageGuards = {
  roundRecordsItself: {
    ...{
      rule: 'R33',
      file: 'packages/core/checkpoint/turns/save-round.ts',
      code: 'savedBy(lean ?? (await writeReply(db, rowOfRound(round)))[0])',
      shared: inReply('recorded as (recordRounds(sql`target`)'),
    },
    without: 'what a round used is recorded apart from its commit',
    ...{ faults: { crash: 1 }, caught: lost },
  },
  recordNeedsRound: {
    ...{
      rule: 'R33',
      file: 'packages/core/checkpoint/turns/commits/write-ending.ts',
      code: 'recorded as (recordRounds(sql`target`)',
    },
    without: 'a commit that is refused, since it was made before, records its usage',
    ...{ faults: { lostAck: 1 }, caught: { broken: 'usage was counted twice' } },
  },
  recordsBecomeSumAtOnce: {
    ...{ rule: 'R33', file: rollUp, code: 'insert into usage_sums' },
    without: 'records are deleted in one commit, and summed in another',
    ...{ faults: { crash: 1 }, caught: lost },
  },
  deletedIsSummed: {
    ...{ rule: 'R33', file: rollUp, code: 'from taken group by' },
    without: 'what was read before is summed, and a record that came late is deleted with the others',
    ...{ faults: {}, caught: lost },
  },
} satisfies Record<string, UsageGuard>;

/** Which guards are up. */
export type UsageGuards = Readonly<Record<keyof typeof usageGuards, boolean>>;
