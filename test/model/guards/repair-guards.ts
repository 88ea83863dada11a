import { type Guard, IS_AT_ROUND, inReply, TURNS, WORKER } from './guard.ts';

const invalid = { calls: 'invalid' } as const;

/** The guards of answers that break the output schema of their turn: R25. */
export const repairGuards = {
  invalidAnswerIsRepaired: {
    ...{ rule: 'R25', file: `${WORKER}/round/commit-round.ts`, code: 'if (!needsRepair(turn)) return' },
    without: 'the first invalid answer ends the turn',
    ...{ scene: invalid, faults: {}, caught: 'an invalid answer ended its turn without a repair' },
  },
  repairIsLast: {
    ...{ rule: 'R25', file: `${WORKER}/round/commit-round.ts`, code: 'if (!needsRepair(turn)) return' },
    without: 'an answer that is invalid after its repair is repaired again',
    ...{ scene: invalid, faults: {}, caught: 'a turn had a second repair' },
  },
  invalidAnswerChecksStep: {
    ...{ rule: 'R25', file: `${TURNS}/save-round.ts` },
    code: 'violations ; return savedBy((await writeReply(db, row))[0]);',
    shared: IS_AT_ROUND,
    without: 'an invalid answer is saved at any step of the turn',
    ...{ scene: invalid, faults: { stall: 1 }, caught: 'a reply was saved in an ended turn' },
  },
  repairIsDue: {
    ...{ rule: 'R25', file: `${TURNS}/save-round.ts` },
    code: 'violations ; return savedBy((await writeReply(db, row))[0]);',
    shared: inReply('due_at = case when waits then dueAtExpiry else dueNext end'),
    without: 'the repair round is not due',
    ...{ scene: invalid, faults: { flush: 1 }, caught: 'stuck' },
  },
  invalidEndMovesStep: {
    ...{ rule: 'R25', file: `${TURNS}/commits/write-ending.ts`, code: `step like 'b%' or "roundNumber" is not null` },
    without: 'a turn that failed with its last round still has that round as its step',
    ...{ scene: invalid, faults: {}, caught: 'an event is missing or stored twice' },
  },
} satisfies Record<string, Guard>;
