import { CHECKPOINT, type Guard, TURNS, WORKER } from './guard.ts';

/** The guards of a worker that continues with the step that its commit made due: R1, R3, R11. */
export const continueGuards = {
  continuedStepIsLeased: {
    ...{ rule: 'R3', file: `${CHECKPOINT}/sql/fresh-step.ts`, code: 'lease_until: sql`case when continues then' },
    without: 'a worker continues although its commit gave no lease to the next run',
    ...{ scene: { calls: 'tools', maxRequests: 1, continues: true }, faults: { duplicate: 1 } },
    caught: 'the model was asked too often for a round',
  },
  nextRunIsNew: {
    ...{ rule: 'R1', file: `${WORKER}/lease/run.ts`, code: 'nextRun: newRunId()' },
    without: 'a commit leases the next step to the run of the former step',
    ...{
      scene: { calls: 'tools' },
      faults: { lostAck: 1 },
      caught: 'a run holds the lease of a step that it does not run',
    },
  },
  waitingTurnIsNotLeased: {
    ...{ rule: 'R3', file: `${TURNS}/save-round.ts`, code: 'waits ? null : nextRun' },
    without: 'a commit leases a turn that waits for a client',
    ...{ scene: { calls: 'client' }, faults: {}, caught: 'a leased turn is not due' },
  },
  continuedJobStays: {
    ...{ rule: 'R11', file: `${WORKER}/job-handler.ts`, code: 'step = await work(step, slot)' },
    without: 'a worker that continues acknowledges its job before it enqueues the due wakeups',
    ...{ scene: { calls: 'tools', rescuerOff: true }, faults: { crash: 1 }, caught: 'stuck' },
  },
} satisfies Record<string, Guard>;
