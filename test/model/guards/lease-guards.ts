import { CHECKPOINT, type Guard, IS_FREE, LEASED, TURN, TURNS, WORKER } from './guard.ts';

const tools = { calls: 'tools' } as const;
const once = { calls: 'once' } as const;

/** The guards of a run's right to a step: R1, R2b, R3, R4, R9. */
export const leaseGuards = {
  runIdIsUnique: {
    ...{ rule: 'R1', file: `${WORKER}/lease/run.ts`, code: 'return randomUUID();' },
    without: 'runs of one process share an id',
    ...{ scene: tools, faults: { duplicate: 1 }, caught: 'an at_most_once call was made twice' },
  },
  uncontendedIsFirstGeneration: {
    ...{ rule: 'R3', file: `${TURNS}/reading/select.ts`, code: '(generation = 0 and' },
    without: 'a run starts without a lease although the step was enqueued again',
    ...{ scene: { calls: 'tools', maxRequests: 1 }, faults: { backlog: 1 } },
    caught: 'the model was asked too often for a round',
  },
  uncontendedIsFarFromDue: {
    ...{ rule: 'R3', file: `${TURNS}/reading/select.ts`, code: 'and due_at > now() + 2 * timing.heartbeatMs' },
    without: 'a run starts without a lease although its turn is nearly late',
    ...{ scene: { calls: 'tools', maxRequests: 1 }, faults: { backlog: 1 } },
    caught: 'the model was asked too often for a round',
  },
  uncontendedIsStarted: {
    ...{ rule: 'R3', file: `${TURNS}/reading/select.ts`, code: "and status <> 'queued'" },
    without: 'the first round starts without a lease, on a turn that was never started',
    ...{ scene: { calls: 'tools', maxRequests: 1 }, faults: {}, caught: 'the model was asked too often for a round' },
  },
  cacheExpires: {
    ...{ rule: 'R3', file: `${WORKER}/turn-cache.ts`, code: 'now > left.until' },
    without: 'a cached turn is believed however old it is',
    ...{ scene: { calls: 'tools', maxRequests: 1 }, faults: { backlog: 1 } },
    caught: 'the model was asked too often for a round',
  },
  cacheChecksGeneration: {
    ...{ rule: 'R3', file: `${WORKER}/turn-cache.ts`, code: 'job?.generation === 0 &&' },
    without: 'a cached turn is believed although the step was enqueued again since',
    ...{ scene: { calls: 'tools', rescuerOff: true }, faults: { later: 1 }, caught: 'stuck' },
  },
  cacheSkipsWaitingCalls: {
    ...{ rule: 'R3', file: `${TURN}/predict.ts`, code: 'waitsFor !== null)) return null;' },
    without: 'a turn is cached whose calls wait for an answer from outside',
    ...{ scene: { calls: 'client' }, faults: {}, caught: 'a call was refused although there was time to answer it' },
  },
  cacheHasAllResults: {
    ...{ rule: 'R3', file: `${TURN}/predict.ts`, code: '(result ?? results.get(index))' },
    without: 'a turn is cached with an open call that another run has answered',
    ...{ scene: { calls: 'tools', rescuerOff: true }, faults: { duplicate: 1 }, caught: 'stuck' },
  },
  takeChecksLease: {
    ...{ rule: 'R3', file: `${TURNS}/lease.ts`, code: 'and work.step = input.step and isFree', shared: IS_FREE },
    without: 'a run takes the lease of another one',
    ...{ scene: tools, faults: { backlog: 1 }, caught: 'outcome_unknown was saved for a call that was never made' },
  },
  renewalChecksStep: {
    ...{ rule: 'R2b', file: `${TURNS}/lease.ts`, code: 'work.step = renewal.step' },
    without: 'a heartbeat renews by turn, not by step',
    ...{ scene: { calls: 'tools', rescuerOff: true }, faults: { stall: 1 } },
    caught: 'a run has the lease of a step that it is not on',
  },
  renewalChecksLease: {
    ...{ rule: 'R4', file: `${TURNS}/lease.ts` },
    code: 'and (lease_owner = renewal."runId" or (renewal."isFirst" and status = \'in_progress\' and work.generation = renewal.generation and isFree))',
    shared: IS_FREE,
    without: 'a heartbeat takes the lease of another run',
    ...{ scene: once, faults: { stall: 1 }, caught: 'outcome_unknown was saved for a call whose run was on it' },
  },
  renewalMovesDueAt: {
    ...{ rule: 'R4', file: `${TURNS}/lease.ts`, code: 'update work set leaseFor(sqlrenewal."runId")', shared: LEASED },
    without: 'a heartbeat renews and leaves the turn due never',
    ...{ scene: tools, faults: { flush: 1, crash: 1 }, caught: 'a leased turn is not due' },
  },
  heartbeatEndsWithRun: {
    ...{ rule: 'R4', file: `${WORKER}/lease/heartbeat.ts`, code: '.delete(lease.id)' },
    without: 'the heartbeat goes on for a run that has ended',
    ...{ scene: { calls: 'none' }, faults: { duplicate: 1, hang: 1 }, caught: 'stuck' },
  },
  runHasLimit: {
    ...{ rule: 'R4', file: `${WORKER}/lease/heartbeat.ts`, code: 'if (now > until ||' },
    without: 'the heartbeat goes on for a run that hangs',
    ...{ scene: tools, faults: { hang: 1 }, caught: 'stuck' },
  },
  stoppedRunClaimsNothing: {
    ...{ rule: 'R4', file: `${WORKER}/batch/run-batch.ts`, code: 'if (calls.length === 0 || signal.aborted) return' },
    without: 'a run that has lost its step claims a call that it will not make',
    ...{ scene: once, faults: { duplicate: 1, crash: 1 } },
    caught: 'outcome_unknown was saved for a call whose run was on it',
  },
  leaseExpires: {
    ...{ rule: 'R9', file: `${TURNS}/reading/select.ts`, code: 'coalesce(lease_until > now(), false) as leased' },
    without: 'a lease counts for ever',
    ...{ scene: tools, faults: { crash: 1 }, caught: 'stuck' },
  },
  leavingJobWritesNothing: {
    ...{ rule: 'R9', file: `${WORKER}/work-turn.ts`, code: 'if (turn.work.leased) return [];' },
    without: 'a job that finds the turn leased makes it due never',
    ...{ scene: tools, faults: { crash: 1 }, caught: 'a leased turn is not due' },
  },
  rescueKeepsLease: {
    ...{ rule: 'R9', file: `${CHECKPOINT}/rescue.ts` },
    code: 'update work set generation = generation + 1, rescues = rescues + 1, due_at =',
    without: 'a rescue revives the lease of a dead run',
    ...{ scene: { calls: 'tools', prompt: true }, faults: { crash: 1 }, caught: 'stuck' },
  },
} satisfies Record<string, Guard>;
