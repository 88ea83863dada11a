import { CHECKPOINT, type Guard, TURNS, WORKER } from './guard.ts';

/** The guards of calls that wait for a client: R15. */
export const answerGuards = {
  answerIsFirst: {
    ...{ rule: 'R15', file: `${TURNS}/answer-calls.ts` },
    code: 'and tool_calls.result is null and waits_for is not null',
    without: 'an answer is accepted although the call has a result',
    ...{ scene: { calls: 'client', expires: true }, faults: { answer: 1 }, caught: 'a written result changed' },
  },
  answeredTurnIsDue: {
    ...{ rule: 'R15', file: `${TURNS}/commits/advance-any.ts` },
    code: 'case when is_complete or (was_waiting and not is_waiting) then dueNext',
    shared: {
      file: `${CHECKPOINT}/sql/fresh-step.ts`,
      code: 'else dueWithSlot(dueIn(timing.graceMs)) end',
    },
    without: 'an answer does not change the due time of the step that it unblocks',
    ...{ scene: { calls: 'client' }, faults: { crash: 1 }, caught: 'stuck' },
  },
  answerRaisesGeneration: {
    ...{ rule: 'R15', file: `${TURNS}/commits/advance-any.ts`, code: 'then work.generation + 1' },
    without: 'an allowed call is enqueued under an id that may still be live',
    ...{ scene: { calls: 'approval', rescuerOff: true }, faults: {}, caught: 'stuck' },
  },
  waitingTurnIsDue: {
    ...{ rule: 'R15', file: `${TURNS}/commits/advance-any.ts` },
    code: "then least(coalesce(work.deadline_at, 'infinity'), (nextExpiry()))",
    without: 'a waiting turn is not due when its call expires',
    ...{ scene: { calls: 'client', expires: true }, faults: {}, caught: 'stuck' },
  },
  saveSeesAnswers: {
    ...{ rule: 'R15', file: `${WORKER}/batch/result-writer.ts`, code: 'await lockTurn(trx, turn.id);' },
    without: 'a commit saves a result without the answer of a concurrent commit',
    ...{ scene: { calls: 'client' }, faults: {}, caught: 'a turn requires action although no call waits' },
  },
  batchGoesOn: {
    ...{ rule: 'R15', file: `${WORKER}/batch/run-batch.ts`, code: 'if (wakeups.length === 0) return goOn(' },
    without: 'a run leaves its batch although a client has just allowed a call',
    ...{ scene: { calls: 'approval', rescuerOff: true }, faults: {}, caught: 'stuck' },
  },
} satisfies Record<string, Guard>;
