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
    without: 'a run starts the first round of a queued turn without a lease',
    ...{ scene: { calls: 'tools', maxRequests: 1 }, faults: {}, caught: 'the model was asked too often for a round' },
  },
  cacheExpires: {
    ...{ rule: 'R3', file: `${WORKER}/turn-cache.ts`, code: 'now > left.until' },
    without: 'a cached turn is used at any age',
    ...{ scene: { calls: 'tools', maxRequests: 1 }, faults: { backlog: 1 } },
    caught: 'the model was asked too often for a round',
  },
  cacheChecksGeneration: {
    ...{ rule: 'R3', file: `${WORKER}/turn-cache.ts`, code: 'job?.generation === 0 &&' },
    without: 'a cached turn is used although the step was enqueued again',
    ...{ scene: { calls: 'tools', rescuerOff: true }, faults: { later: 1 }, caught: 'stuck' },
  },
  cacheSkipsWaitingCalls: {
    ...{ rule: 'R3', file: `${TURN}/predict.ts`, code: 'waitsFor !== null)) return null;' },
    without: 'a turn is cached although its calls wait for a client',
    ...{ scene: { calls: 'client' }, faults: {}, caught: 'a call was refused although there was time to answer it' },
  },
  cacheHasAllResults: {
    ...{ rule: 'R3', file: `${TURN}/predict.ts`, code: '(result ?? results.get(index))' },
    without: 'a turn is cached with an open call that another run has answered',
    ...{ scene: { calls: 'tools', rescuerOff: true }, faults: { duplicate: 1 }, caught: 'stuck' },
  },
  takeChecksLease: {
    ...{ rule: 'R3', file: `${TURNS}/lease.ts`, code: 'and work.step = input.step and isFree', shared: IS_FREE },
    without: 'a run takes the lease of another run',
    ...{ scene: tools, faults: { backlog: 1 }, caught: 'outcome_unknown was saved for a call that was never made' },
  },
  renewalChecksStep: {
    ...{ rule: 'R2b', file: `${TURNS}/lease.ts`, code: 'work.step = renewal.step' },
    without: 'a heartbeat renews by turn, not by step',
    ...{ scene: { calls: 'tools', rescuerOff: true }, faults: { stall: 1 } },
    caught: 'a run holds the lease of a step that it does not run',
  },
  renewalChecksLease: {
    ...{ rule: 'R4', file: `${TURNS}/lease.ts` },
    code: 'and (lease_owner = renewal."runId" or (renewal."isFirst" and status = \'in_progress\' and work.generation = renewal.generation and isFree))',
    shared: IS_FREE,
    without: 'a heartbeat takes the lease of another run',
    ...{ scene: once, faults: { stall: 1 }, caught: 'outcome_unknown was saved while the run of the call was active' },
  },
  renewalMovesDueAt: {
    ...{ rule: 'R4', file: `${TURNS}/lease.ts`, code: 'update work set leaseFor(sqlrenewal."runId")', shared: LEASED },
    without: 'a heartbeat renews the lease and sets no due time',
    ...{ scene: tools, faults: { flush: 1, crash: 1 }, caught: 'a leased turn is not due' },
  },
  heartbeatEndsWithRun: {
    ...{ rule: 'R4', file: `${WORKER}/lease/heartbeat.ts`, code: '.delete(lease.id)' },
    without: 'the heartbeat continues for an ended run',
    ...{ scene: { calls: 'none' }, faults: { duplicate: 1, hang: 1 }, caught: 'stuck' },
  },
  runHasLimit: {
    ...{ rule: 'R4', file: `${WORKER}/lease/heartbeat.ts`, code: 'if (now > until ||' },
    without: 'the heartbeat continues for a hanging run',
    ...{ scene: tools, faults: { hang: 1 }, caught: 'stuck' },
  },
  stoppedRunClaimsNothing: {
    ...{ rule: 'R4', file: `${WORKER}/batch/run-batch.ts`, code: 'if (calls.length === 0 || signal.aborted) return' },
    without: 'a run that has lost its step claims a call and does not make it',
    ...{ scene: once, faults: { duplicate: 1, crash: 1 } },
    caught: 'outcome_unknown was saved while the run of the call was active',
  },
  leaseExpires: {
    ...{ rule: 'R9', file: `${TURNS}/reading/select.ts`, code: 'coalesce(lease_until > now(), false) as leased' },
    without: 'a lease never expires',
    ...{ scene: tools, faults: { crash: 1 }, caught: 'stuck' },
  },
  leavingJobWritesNothing: {
    ...{ rule: 'R9', file: `${WORKER}/work-turn.ts`, code: 'if (turn.work.leased) return [];' },
    without: 'a job that finds a leased turn removes its due time',
    ...{ scene: tools, faults: { crash: 1 }, caught: 'a leased turn is not due' },
  },
  rescueKeepsLease: {
    ...{ rule: 'R9', file: `${CHECKPOINT}/rescue.ts` },
    code: 'update work set generation = generation + 1, rescues = rescues + 1, due_at =',
    without: 'a rescue renews the lease of a dead run',
    ...{ scene: { calls: 'tools', prompt: true }, faults: { crash: 1 }, caught: 'stuck' },
  },
} satisfies Record<string, Guard>;
