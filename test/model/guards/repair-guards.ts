import { type Guard, IS_AT_ROUND, inReply, TURNS, WORKER } from './guard.ts';

const unfit = { calls: 'unfit' } as const;

/** The guards of answers that break the output schema of their turn: R25. */
export const repairGuards = {
  unfitAnswerIsRepaired: {
    ...{ rule: 'R25', file: `${WORKER}/round/commit-round.ts`, code: 'if (!needsRepair(turn)) return' },
    without: 'the first answer that does not fit ends the turn',
    ...{ scene: unfit, faults: {}, caught: 'an answer that did not fit ended its turn without a repair' },
  },
  repairIsLast: {
    ...{ rule: 'R25', file: `${WORKER}/round/commit-round.ts`, code: 'if (!needsRepair(turn)) return' },
    without: 'an answer that does not fit after its repair is repaired again',
    ...{ scene: unfit, faults: {}, caught: 'a turn had a second repair' },
  },
  unfitAnswerChecksStep: {
    ...{ rule: 'R25', file: `${TURNS}/save-round.ts` },
    code: 'violations ; return savedBy((await writeReply(db, row))[0]);',
    shared: IS_AT_ROUND,
    without: 'an answer that does not fit is saved whatever the turn is at',
    ...{ scene: unfit, faults: { stall: 1 }, caught: 'a turn that had ended was written to' },
  },
  repairIsDue: {
    ...{ rule: 'R25', file: `${TURNS}/save-round.ts` },
    code: 'violations ; return savedBy((await writeReply(db, row))[0]);',
    shared: inReply('due_at = case when waits then dueAtExpiry else dueNext end'),
    without: 'the repair round is not due',
    ...{ scene: unfit, faults: { flush: 1 }, caught: 'stuck' },
  },
  unfitEndMovesStep: {
    ...{ rule: 'R25', file: `${TURNS}/commits/write-ending.ts`, code: `step like 'b%' or "roundNumber" is not null` },
    without: 'a turn that failed with its last round is still at that round',
    ...{ scene: unfit, faults: {}, caught: 'an event is missing or double' },
  },
} satisfies Record<string, Guard>;
