import { CHECKPOINT, type Guard, IS_AT_ROUND, MAY_GIVE_UP, TURNS, WORKER } from './guard.ts';

const tools = { calls: 'tools' } as const;
const once = { calls: 'once' } as const;
const short = { calls: 'none' } as const;

/** The guards of writes and of their due steps: R2, R5, R10, R11. */
export const writeGuards = {
  rescuerFindsDueTurns: {
    ...{ rule: 'R2', file: `${CHECKPOINT}/rescue.ts`, code: 'due_bucket < now() and due_at < now()' },
    without: 'the rescuer finds no late turns',
    ...{ scene: tools, faults: { flush: 1 }, caught: 'stuck' },
  },
  postponedTurnIsDue: {
    ...{ rule: 'R2', file: `${TURNS}/postpone.ts` },
    code: 'update work set due_at = least(inMs(sql"delayMs" + case when staysAtWork then sql.lit(timing.graceMs) else 0 end), work.deadline_at)',
    without: 'a postponed step is not due',
    ...{ scene: short, faults: { later: 1, flush: 1 }, caught: 'stuck' },
  },
  saveRoundChecksStep: {
    ...{ rule: 'R5', file: `${TURNS}/commits/write-reply.ts`, code: 'from input where isAtRound', shared: IS_AT_ROUND },
    without: 'a reply is saved at any step of the turn',
    ...{ scene: tools, faults: { stall: 1 }, caught: 'a round was saved twice' },
  },
  eventsAreNumberedUnderLock: {
    ...{ rule: 'R5', file: `${TURNS}/commits/advance-any.ts`, code: 'last_event = work.last_event +' },
    without: 'a run numbers events by the turn that it has read',
    ...{ scene: tools, faults: { duplicate: 1 }, caught: 'two events of a turn have the same number' },
  },
  lateResultKeepsLease: {
    ...{ rule: 'R5', file: `${TURNS}/commits/advance-any.ts`, code: 'from state where work.id = state.id' },
    without: 'a late result clears the lease of the next step',
    ...{ scene: { calls: 'once', rescuerOff: true }, faults: { stall: 1 }, caught: 'stuck' },
  },
  failureChecksLease: {
    ...{ rule: 'R5', file: `${TURNS}/commits/write-ending.ts` },
    code: '("runId" is null or mayGiveUp(sql"runGeneration"))',
    shared: MAY_GIVE_UP,
    without: 'a failure ends a step that another run has leased',
    ...{ scene: short, faults: { stall: 1, definite: 1 }, caught: 'a turn failed while another run held its lease' },
  },
  failureChecksGeneration: {
    ...{ rule: 'R5', file: `${TURNS}/commits/write-ending.ts` },
    code: '("runId" is null or mayGiveUp(sql"runGeneration"))',
    shared: MAY_GIVE_UP,
    without: 'a failure is saved although the step was enqueued again',
    ...{ scene: short, faults: { lostAck: 1, definite: 1, retry: 1 } },
    caught: 'a failure of the run before the retry ended the turn again',
  },
  postponeChecksLease: {
    ...{ rule: 'R5', file: `${TURNS}/postpone.ts`, code: 'and mayGiveUp(sql"ownGeneration")', shared: MAY_GIVE_UP },
    without: 'a run hands a step back after it has lost the step',
    ...{
      scene: short,
      faults: { stall: 1, later: 1 },
      caught: 'a step was handed back while another run held its lease',
    },
  },
  postponeChecksGeneration: {
    ...{ rule: 'R5', file: `${TURNS}/postpone.ts`, code: 'and mayGiveUp(sql"ownGeneration")', shared: MAY_GIVE_UP },
    without: 'a run hands a step back although the step was enqueued again',
    ...{ scene: short, faults: { lostAck: 1, later: 1 }, caught: 'a step was handed back twice for one attempt' },
  },
  leaseOwnerPostpones: {
    ...{ rule: 'R5', file: `${TURNS}/postpone.ts`, code: 'and mayGiveUp(sql"ownGeneration")', shared: MAY_GIVE_UP },
    without: 'a run cannot hand back its leased step after a rescue between its load and its lease',
    ...{ scene: tools, faults: { backlog: 1, shutdown: 1 } },
    caught: 'outcome_unknown was saved for a call that was never made',
  },
  lateResultIsDropped: {
    ...{ rule: 'R10', file: `${TURNS}/save-results.ts`, code: 'and tool_calls.result is null' },
    without: 'a late result overwrites the saved one',
    ...{ scene: once, faults: { stall: 1 }, caught: 'a written result changed' },
  },
  generationIsInJobId: {
    ...{ rule: 'R11', file: 'packages/core/queue/job.ts', code: 'id: turnId-step-generation' },
    without: 'a job id contains only the step',
    ...{ scene: tools, faults: { wedge: 1 }, caught: 'stuck' },
  },
  rescueRaisesGeneration: {
    ...{ rule: 'R11', file: `${CHECKPOINT}/rescue.ts` },
    code: 'update work set generation = generation + 1, rescues = rescues + 1',
    without: 'a rescue enqueues under the same id',
    ...{ scene: tools, faults: { wedge: 1 }, caught: 'stuck' },
  },
  postponeRaisesGeneration: {
    ...{ rule: 'R11', file: `${TURNS}/postpone.ts`, code: 'generation = work.generation + 1' },
    without: 'a job enqueues a postponed step under its own id',
    ...{ scene: { calls: 'none', rescuerOff: true }, faults: { later: 1 }, caught: 'stuck' },
  },
  dueStepIsEnqueued: {
    ...{ rule: 'R11', file: `${WORKER}/work-turn.ts` },
    code: 'if (turn.work.step !== job.step) return [wakeupOf(turn)];',
    without: 'a job that finds its step done does not enqueue the next step',
    ...{ scene: { calls: 'tools', rescuerOff: true }, faults: { crash: 1 }, caught: 'stuck' },
  },
  jobLockOutlivesLease: {
    ...{ rule: 'R11', file: 'packages/core/queue/bullmq/backend.ts', code: 'lockDuration: 15_000' },
    without: 'the job of a dead run returns before its lease expires',
    ...{ scene: { calls: 'tools', rescuerOff: true }, faults: { crash: 1 }, caught: 'stuck' },
  },
} satisfies Record<string, Guard>;
