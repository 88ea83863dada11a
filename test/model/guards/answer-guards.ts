import type { Guard } from '../guard.ts';

/** Calls that wait for somebody outside: R15. */
export const answerGuards = {
  answerIsFirst: {
    ...{
      rule: 'R15',
      file: 'packages/core/checkpoint/answer-calls.ts',
      code: 'and tool_calls.result is null and waits_for is not null',
    },
    without: 'an answer counts although the call has a result',
    ...{
      scene: { calls: 'client', expires: true },
      faults: { answer: 1 },
      caught: { broken: 'a written result changed' },
    },
  },
  answerIsDue: {
    ...{ rule: 'R15', file: 'packages/core/checkpoint/advance-batch.ts' },
    code: 'due_at = case when is_complete or (was_parked and not is_parked) then least(inMs(timing.graceMs), deadline())',
    without: 'what an answer frees stays due when it was',
    ...{ scene: { calls: 'client' }, faults: { crash: 1 }, caught: 'stuck' },
  },
  answerRaisesRing: {
    ...{
      rule: 'R15',
      file: 'packages/core/checkpoint/advance-batch.ts',
      code: 'when was_parked and not is_parked then turns.ring + 1',
    },
    without: 'an allowed call is rung under an id that may still be live',
    ...{ scene: { calls: 'approval', rescuerOff: true }, faults: {}, caught: 'stuck' },
  },
  parkedIsDue: {
    ...{
      rule: 'R15',
      file: 'packages/core/checkpoint/advance-batch.ts',
      code: 'when is_parked then least(turns.deadline_at, coalesce((nextExpiry())',
    },
    without: 'a parked turn is not due when its call expires',
    ...{ scene: { calls: 'client', expires: true }, faults: {}, caught: 'stuck' },
  },
  saveSeesAnswers: {
    ...{ rule: 'R15', file: 'services/worker/result-box.ts', code: 'await lockTurn(trx, turn.id);' },
    without: 'a result is saved beside an answer that it does not see',
    ...{ scene: { calls: 'client' }, faults: {}, caught: { broken: 'a turn is parked although nothing waits' } },
  },
  goesOn: {
    ...{
      rule: 'R15',
      file: 'services/worker/jobs/run-tool-batch.ts',
      code: 'if (rings.length === 0) return goOn(run, round, calls , context);',
    },
    without: 'a batch is left although one of its calls was allowed meanwhile',
    ...{ scene: { calls: 'approval', rescuerOff: true }, faults: {}, caught: 'stuck' },
  },
} satisfies Record<string, Guard>;
