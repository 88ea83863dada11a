import type { Guard } from '../guard.ts';

const tools = { calls: 'tools' } as const;
const once = { calls: 'once' } as const;

/** Who may be on a step: R1, R3, R4, R9. */
export const holdGuards = {
  nameIsFresh: {
    ...{ rule: 'R1', file: 'services/worker/run.ts', code: 'return randomUUID();' },
    without: 'runs of one process share a name',
    ...{ scene: tools, faults: { duplicate: 1 }, caught: { broken: 'an at_most_once call was made twice' } },
  },
  quietIsUnrung: {
    ...{ rule: 'R3', file: 'packages/core/checkpoint/select-turns.ts', code: '(ring = 0 and' },
    without: 'a run starts without a hold although the step was rung again',
    ...{ scene: { calls: 'tools', maxAsks: 1 }, faults: { backlog: 1 } },
    caught: { broken: 'the model was asked once more for a round than it should be' },
  },
  quietIsFar: {
    ...{
      rule: 'R3',
      file: 'packages/core/checkpoint/select-turns.ts',
      code: 'and due_at > now() + 2 * timing.heartbeatMs',
    },
    without: 'a run starts without a hold although its turn is nearly late',
    ...{ scene: { calls: 'tools', maxAsks: 1 }, faults: { backlog: 1 } },
    caught: { broken: 'the model was asked once more for a round than it should be' },
  },
  quietIsStarted: {
    ...{ rule: 'R3', file: 'packages/core/checkpoint/select-turns.ts', code: "and status <> 'queued'" },
    without: 'the first round starts without a hold, on a turn that nobody has started',
    ...{ scene: { calls: 'tools', maxAsks: 1 }, faults: {} },
    caught: { broken: 'the model was asked once more for a round than it should be' },
  },
  leftHasTime: {
    ...{ rule: 'R3', file: 'services/worker/turn-memory.ts', code: 'if (!left || now > left.until) return null;' },
    without: 'what a commit left is believed however old it is',
    ...{ scene: { calls: 'tools', maxAsks: 1 }, faults: { backlog: 1 } },
    caught: { broken: 'the model was asked once more for a round than it should be' },
  },
  leftMindsRing: {
    ...{ rule: 'R3', file: 'services/worker/turn-memory.ts', code: 'entry && job?.ring === 0 && takeLeft(entry)' },
    without: 'what a commit left is believed although the step was rung again since',
    ...{ scene: { calls: 'tools', rescuerOff: true }, faults: { later: 1 }, caught: 'stuck' },
  },
  leftWaitsForNobody: {
    ...{ rule: 'R3', file: 'packages/core/turn/after-round.ts' },
    code: 'if (saved.calls.some(( waitsFor ) => waitsFor !== null)) return null;',
    without: 'a turn is kept whose calls wait for somebody outside',
    ...{ scene: { calls: 'client' }, faults: {} },
    caught: { broken: 'a call was refused while somebody still had time to answer it' },
  },
  leftIsWhole: {
    ...{ rule: 'R3', file: 'packages/core/turn/after-batch.ts' },
    code: 'round.calls.some(( index, waitsFor, result ) => waitsFor !== null || !(result ?? results.get(index)))',
    without: 'a turn is kept with a call open that somebody else has answered',
    ...{ scene: { calls: 'tools', rescuerOff: true }, faults: { duplicate: 1 }, caught: 'stuck' },
  },
  takeHoldMindsHold: {
    ...{
      rule: 'R3',
      file: 'packages/core/checkpoint/take-hold.ts',
      code: 'and (held_by is null or held_until < now())',
    },
    without: 'a run takes a hold that somebody else has',
    ...{ scene: tools, faults: { backlog: 1 } },
    caught: { broken: 'outcome_unknown was said of a call that was never made' },
  },
  beatMindsStep: {
    ...{ rule: 'R2b', file: 'packages/core/checkpoint/renew-holds.ts', code: 'and turns.step = beat.step' },
    without: 'a heartbeat goes by the turn, not by its step',
    ...{ scene: { calls: 'tools', rescuerOff: true }, faults: { stall: 1 } },
    caught: { broken: 'a run holds a step that it is not on' },
  },
  beatMindsHold: {
    ...{ rule: 'R4', file: 'packages/core/checkpoint/renew-holds.ts' },
    code: 'and (held_by = beat."runId" or (beat."isFirst" and status = \'in_progress\' and turns.ring = beat.ring and (held_by is null or held_until < now())))',
    without: "a heartbeat takes somebody else's hold",
    ...{ scene: once, faults: { stall: 1 } },
    caught: { broken: 'outcome_unknown was said of a call whose run was on it' },
  },
  beatMovesDue: {
    ...{ rule: 'R4', file: 'packages/core/checkpoint/renew-holds.ts', code: 'due_at = inMs(timing.leaseMs)' },
    without: 'a heartbeat holds and leaves the turn due never',
    ...{ scene: tools, faults: { flush: 1, crash: 1 }, caught: { broken: 'a held turn is not due' } },
  },
  beatEndsWithRun: {
    ...{
      rule: 'R4',
      file: 'services/worker/heartbeat.ts',
      code: '[Symbol.dispose]: () => void vouched.delete(run.id)',
    },
    without: 'the heartbeat goes on for a run that has ended',
    ...{ scene: { calls: 'none' }, faults: { duplicate: 1, hang: 1 }, caught: 'stuck' },
  },
  runHasLimit: {
    ...{ rule: 'R4', file: 'services/worker/heartbeat.ts', code: 'if (now > until ||' },
    without: 'the heartbeat goes on for a run that hangs',
    ...{ scene: tools, faults: { hang: 1 }, caught: 'stuck' },
  },
  stoppedClaimsNothing: {
    ...{
      rule: 'R4',
      file: 'services/worker/jobs/run-tool-batch.ts',
      code: 'if (calls.length === 0 || signal.aborted) return',
    },
    without: 'a run that has lost its step claims a call that it will not make',
    ...{ scene: once, faults: { duplicate: 1, crash: 1 } },
    caught: { broken: 'outcome_unknown was said of a call whose run was on it' },
  },
  holdHasTime: {
    ...{
      rule: 'R9',
      file: 'packages/core/checkpoint/select-turns.ts',
      code: 'coalesce(held_until > now(), false) as held',
    },
    without: 'a hold counts for ever',
    ...{ scene: tools, faults: { crash: 1 }, caught: 'stuck' },
  },
  leaverWritesNothing: {
    ...{ rule: 'R9', file: 'services/worker/jobs/work-turn.ts', code: 'if (turn.work.held) return [];' },
    without: 'a job that finds the turn held makes it due never',
    ...{ scene: tools, faults: { crash: 1 }, caught: { broken: 'a held turn is not due' } },
  },
  rescueLeavesHold: {
    ...{ rule: 'R9', file: 'packages/core/checkpoint/rescue-turns.ts' },
    code: 'update turns set ring = ring + 1, rescues = rescues + 1, due_at =',
    without: 'a rescue revives the hold of a dead run',
    ...{ scene: { calls: 'tools', prompt: true }, faults: { crash: 1 }, caught: 'stuck' },
  },
} satisfies Record<string, Guard>;
