import type { Guard } from '../guard.ts';

const tools = { calls: 'tools' } as const;
const once = { calls: 'once' } as const;
const short = { calls: 'none' } as const;

/** What may be written, and what is due then: R2, R5, R10, R11. */
export const writeGuards = {
  rescuerLooks: {
    ...{ rule: 'R2', file: 'packages/core/checkpoint/rescue-turns.ts', code: 'where due_at < now() order by due_at' },
    without: 'nobody looks for late turns',
    ...{ scene: tools, faults: { flush: 1 }, caught: 'stuck' },
  },
  postponedIsDue: {
    ...{
      rule: 'R2',
      file: 'packages/core/checkpoint/postpone-step.ts',
      code: 'due_at = dueIn(sql"delayMs" + sql.lit(timing.graceMs))',
    },
    without: 'a postponed step is not due',
    ...{ scene: short, faults: { later: 1, flush: 1 }, caught: 'stuck' },
  },
  roundMindsStep: {
    ...{ rule: 'R5', file: 'packages/core/checkpoint/save-round.ts' },
    code: "where turns.id = \"turnId\" and status = 'in_progress' and step = 'r' || number",
    without: 'a reply is saved whatever the turn is at',
    ...{ scene: tools, faults: { stall: 1 }, caught: { broken: 'a round was saved twice' } },
  },
  eventsUnderLock: {
    ...{ rule: 'R5', file: 'packages/core/checkpoint/advance-batch.ts', code: 'last_event = turns.last_event + told' },
    without: 'events are numbered by what a run has read',
    ...{ scene: tools, faults: { duplicate: 1 }, caught: { broken: 'two events of a turn have the same number' } },
  },
  onlyWriterClears: {
    ...{ rule: 'R5', file: 'packages/core/checkpoint/advance-batch.ts', code: 'from state where turns.id = state.id' },
    without: "a result that comes late clears the next step's hold",
    ...{ scene: { calls: 'once', rescuerOff: true }, faults: { stall: 1 }, caught: 'stuck' },
  },
  failMindsHold: {
    ...{ rule: 'R5', file: 'packages/core/checkpoint/write-ending.ts' },
    code: 'and ("runId" is null or held_by = "runId" or (ring = "runRing" and (held_by is null or held_until < now())))',
    without: 'a failure ends what another run has on hand',
    ...{
      scene: short,
      faults: { stall: 1, definite: 1 },
      caught: { broken: 'a turn failed while another run was on it' },
    },
  },
  failMindsRing: {
    ...{
      rule: 'R5',
      file: 'packages/core/checkpoint/write-ending.ts',
      code: 'and ("runId" is null or held_by = "runId" or (ring = "runRing" and (held_by is null or held_until < now())))',
    },
    without: 'a failure counts although the step was rung again since',
    ...{ scene: short, faults: { lostAck: 1, definite: 1, retry: 1 } },
    caught: { broken: 'a failure from before the retry ended the turn again' },
  },
  postponeMindsHold: {
    ...{ rule: 'R5', file: 'packages/core/checkpoint/postpone-step.ts' },
    code: 'and (held_by = "runId" or (turns.ring = "ownRing" and (held_by is null or held_until < now())))',
    without: 'a step is handed back by a run that has lost it',
    ...{ scene: short, faults: { stall: 1, later: 1 } },
    caught: { broken: 'a step was handed back while another run was on it' },
  },
  postponeMindsRing: {
    ...{
      rule: 'R5',
      file: 'packages/core/checkpoint/postpone-step.ts',
      code: 'and (held_by = "runId" or (turns.ring = "ownRing" and (held_by is null or held_until < now())))',
    },
    without: 'a step is handed back although it was rung again since',
    ...{
      scene: short,
      faults: { lostAck: 1, later: 1 },
      caught: { broken: 'a step was handed back twice for one try' },
    },
  },
  holderPostpones: {
    ...{
      rule: 'R5',
      file: 'packages/core/checkpoint/postpone-step.ts',
      code: 'and (held_by = "runId" or (turns.ring = "ownRing" and (held_by is null or held_until < now())))',
    },
    without: 'a run cannot hand back the step it holds, because a rescue came between its load and its hold',
    ...{ scene: tools, faults: { backlog: 1, shutdown: 1 } },
    caught: { broken: 'outcome_unknown was said of a call that was never made' },
  },
  lateIsDropped: {
    ...{ rule: 'R10', file: 'packages/core/checkpoint/save-results.ts', code: 'and tool_calls.result is null' },
    without: 'a late result overwrites what was said of the call',
    ...{ scene: once, faults: { stall: 1 }, caught: { broken: 'a written result changed' } },
  },
  ringInId: {
    ...{ rule: 'R11', file: 'packages/core/queue/job.ts', code: 'id: turnId-step-number' },
    without: 'a job id is made of the step alone',
    ...{ scene: tools, faults: { wedge: 1 }, caught: 'stuck' },
  },
  rescueRaisesRing: {
    ...{ rule: 'R11', file: 'packages/core/checkpoint/rescue-turns.ts', code: 'update turns set ring = ring + 1' },
    without: 'a rescue rings under the same id',
    ...{ scene: tools, faults: { wedge: 1 }, caught: 'stuck' },
  },
  postponeRaisesRing: {
    ...{
      rule: 'R11',
      file: 'packages/core/checkpoint/postpone-step.ts',
      code: 'held_until = null, ring = turns.ring + 1',
    },
    without: 'a postponed step is rung from inside a job of the same id',
    ...{ scene: { calls: 'none', rescuerOff: true }, faults: { later: 1 }, caught: 'stuck' },
  },
  ringsWhatIsOwed: {
    ...{
      rule: 'R11',
      file: 'services/worker/jobs/work-turn.ts',
      code: 'if (turn.work.step !== job.step) return [ringOf(turn)];',
    },
    without: 'a job that finds its work done rings nothing',
    ...{ scene: { calls: 'tools', rescuerOff: true }, faults: { crash: 1 }, caught: 'stuck' },
  },
  lockOutlivesHold: {
    ...{ rule: 'R11', file: 'packages/core/queue/backend.ts', code: 'lockDuration: 15_000' },
    without: "a dead run's job comes back while its hold still counts",
    ...{ scene: { calls: 'tools', rescuerOff: true }, faults: { crash: 1 }, caught: 'stuck' },
  },
} satisfies Record<string, Guard>;
