import { type Table, TURN, TURNS, type Up, WORKER } from '../guards/guard.ts';
import type { AdmissionScene } from './admission-state.ts';

const ADMIT = 'migrations/0001-pawl.sql';
const withoutSlot = 'a step ran without a slot';
const tooMany = 'a project had more slots than its quota';

/** The guards that keep a slot from being lost or assigned twice: R27, R28. */
export const admissionGuards = {
  jobNeedsSlot: {
    ...{ rule: 'R27', file: `${TURN}/next-step.ts`, code: '!turn.work.atHead || lacksSlot(turn)' },
    without: 'a late job runs without a lease while its turn waits for a slot',
    ...{ scene: 'quota', faults: { wait: 1, duplicate: 1 }, caught: withoutSlot },
  },
  leaseNeedsSlot: {
    ...{ rule: 'R27', file: `${TURNS}/lease.ts`, code: `isFree and hasCome('retry_at') and hasSlot` },
    without: 'a run takes its lease on a turn that has released its slot since the load',
    ...{ scene: 'window', faults: { postpone: 1, duplicate: 1 }, caught: withoutSlot },
  },
  endReleasesSlot: {
    ...{ rule: 'R27', file: `${TURNS}/commits/write-ending.ts` },
    code: 'gone as (delete from work using target where work.id = target.id),',
    without: 'an ended turn keeps its slot',
    ...{ scene: 'window', faults: {}, caught: 'stuck' },
  },
  waitReleasesSlot: {
    ...{ rule: 'R27', file: `${TURNS}/postpone.ts` },
    code: `slot = case when staysAtWork then work.slot else 'none' end`,
    without: 'a waiting turn keeps its slot',
    ...{ scene: 'window', faults: { postpone: 1 }, caught: 'stuck' },
  },
  answerRequestsSlot: {
    ...{ rule: 'R27', file: `${TURNS}/commits/advance-any.ts` },
    code: `when work.slot = 'none' and (is_complete or was_waiting) then 'wanted'`,
    without: 'the answer of a client starts a turn whose slot another turn holds',
    ...{ scene: 'quota', faults: { wait: 1 }, caught: tooMany },
  },
  endedWaitRequestsSlot: {
    ...{ rule: 'R27', file: ADMIT, code: `set slot = 'wanted', generation = generation + 1` },
    without: 'a turn does not request a slot after its wait',
    ...{ scene: 'window', faults: { postpone: 1 }, caught: 'stuck' },
  },
  admittedIsDue: {
    ...{ rule: 'R28', file: ADMIT, code: `set slot = 'held', due_at = least(now() + interval '5 seconds'` },
    without: 'a turn with a new slot has no due time',
    ...{ scene: 'window', faults: { crash: 1 }, caught: 'stuck' },
  },
  clockAdmits: {
    ...{ rule: 'R28', file: `${WORKER}/worker.ts`, code: 'every(timing.admitEveryMs' },
    without: 'slots are assigned only if a commit requests it',
    ...{ scene: 'window', faults: { lostRequest: 1 }, caught: 'stuck' },
  },
  admissionIsAlone: {
    ...{ rule: 'R28', file: ADMIT, code: `perform pg_advisory_xact_lock(hashtext('pawl.admission'))` },
    without: 'two admissions count the same slots as free',
    ...{ scene: 'quota', faults: {}, caught: tooMany },
  },
  windowBoundsProject: {
    ...{ rule: 'R28', file: ADMIT, code: 'floor(slots * weight / sum(weight) over (partition by provider))' },
    without: 'a project with hanging steps holds all slots',
    ...{ scene: 'window', faults: { hang: 2 }, caught: 'stuck' },
  },
} satisfies Table<{ scene: AdmissionScene }>;

export type AdmissionGuards = Up<typeof admissionGuards>;
