import type { Left } from '../explore/plain-model.ts';
import type { GuardWords } from '../guards/guard.ts';
import type { CompactionFault } from './compaction-state.ts';

/** One condition that compactions depend on, and the faults that show its lack. */
export type CompactionGuard = GuardWords & { faults: Left<CompactionFault>; caught: { broken: string } };

const save = 'packages/core/checkpoint/turns/compaction/save-compaction.ts';
const compact = 'services/worker/round/compact-line.ts';
const askedAgain = { broken: 'a summary was asked for again' };

/** What keeps the history that a round is asked with: R23. */
export const compactionGuards = {
  compactionChecksStep: {
    ...{ rule: 'R23', file: save, code: `status = 'in_progress' and step = 'r' || round` },
    without: 'a run compacts the history of a turn that has ended',
    ...{ faults: { cancel: 1 }, caught: { broken: 'a history was compacted after the end' } },
  },
  firstCompactionWins: {
    ...{ rule: 'R23', file: save, code: 'coalesce(compacted_before, 0) < round' },
    without: 'two runs compact the history of one round',
    ...{ faults: { duplicate: 1 }, caught: { broken: 'the history of a round was compacted twice' } },
  },
  planLooksForCompaction: {
    ...{
      rule: 'R23',
      file: 'packages/core/turn/compaction/plan-compaction.ts',
      code: 'turn.compactions.some((compaction) => compaction.round === round)',
    },
    without: 'a job does not look whether the summary of its round is there',
    ...{ faults: { crash: 1 }, caught: askedAgain },
  },
  emptySummaryIsNoted: {
    ...{ rule: 'R23', file: compact, code: 'summary: isUsed ? written.summary : null' },
    without: 'nothing is kept of a summary that is empty or too long',
    ...{ faults: { crash: 1 }, caught: askedAgain },
  },
  loserReadsWhatIsKept: {
    ...{ rule: 'R23', file: compact, code: 'if (!saved) return goOnWithSaved(run, plan.round, context)' },
    without: 'a run whose compaction came second asks its round with it',
    ...{ faults: { duplicate: 1 }, caught: { broken: 'a round was asked with a history that is not kept' } },
  },
  deletedIsNotTold: {
    ...{
      rule: 'R23',
      file: 'packages/core/turn/compaction/sent-history.ts',
      code: 'summary !== null && leftOut === leftOutOf(covered)',
    },
    without: 'a summary is sent although something that it tells of was deleted',
    ...{ faults: { crash: 1, delete: 1 }, caught: { broken: 'a model was told what was deleted' } },
  },
} satisfies Record<string, CompactionGuard>;

/** Which guards are up. */
export type CompactionGuards = Readonly<Record<keyof typeof compactionGuards, boolean>>;
