import { type Table, TURN, TURNS, type Up, WORKER } from '../guards/guard.ts';
import type { AdmissionScene } from './admission-state.ts';

const ADMIT = 'migrations/0001-pawl.sql';
const withoutPlace = 'a step was at work without a place';
const tooMany = 'a project had more places than its quota';

/** The guards that keep places from being lost or handed out twice: R27, R28. */
export const admissionGuards = {
  jobAsksForPlace: {
    ...{ rule: 'R27', file: `${TURN}/next-step.ts`, code: '!turn.work.atHead || lacksPlace(turn)' },
    without: 'a job that comes late is worked, without a lease, while its turn waits for a place',
    ...{ scene: 'quota', faults: { wait: 1, duplicate: 1 }, caught: withoutPlace },
  },
  leaseAsksForPlace: {
    ...{ rule: 'R27', file: `${TURNS}/lease.ts`, code: `isFree and hasCome('retry_at') and hasPlace` },
    without: 'a run takes its lease on a turn that has given its place back since it was loaded',
    ...{ scene: 'window', faults: { postpone: 1, duplicate: 1 }, caught: withoutPlace },
  },
  endGivesPlaceBack: {
    ...{ rule: 'R27', file: `${TURNS}/commits/write-ending.ts` },
    code: 'gone as (delete from work using target where work.id = target.id),',
    without: 'a turn that has ended keeps its place',
    ...{ scene: 'window', faults: {}, caught: 'stuck' },
  },
  waitGivesPlaceBack: {
    ...{ rule: 'R27', file: `${TURNS}/postpone.ts` },
    code: `place = case when staysAtWork then work.place else 'none' end`,
    without: 'a turn that waits keeps its place, and is not enqueued with it',
    ...{ scene: 'window', faults: { postpone: 1 }, caught: 'stuck' },
  },
  answerAsksForPlace: {
    ...{ rule: 'R27', file: `${TURNS}/commits/advance-any.ts` },
    code: `when work.place = 'none' and (is_complete or was_waiting) then 'wanted'`,
    without: 'an answer from outside puts a turn to work whose place another has by now',
    ...{ scene: 'quota', faults: { wait: 1 }, caught: tooMany },
  },
  endedWaitAsks: {
    ...{ rule: 'R27', file: ADMIT, code: `set place = 'wanted', generation = generation + 1` },
    without: 'a turn whose wait is over asks for no place',
    ...{ scene: 'window', faults: { postpone: 1 }, caught: 'stuck' },
  },
  admittedIsDue: {
    ...{ rule: 'R28', file: ADMIT, code: `set place = 'held', due_at = least(now() + interval '5 seconds'` },
    without: 'a turn that got a place is due at no time',
    ...{ scene: 'window', faults: { crash: 1 }, caught: 'stuck' },
  },
  clockAdmits: {
    ...{ rule: 'R28', file: `${WORKER}/worker.ts`, code: 'every(timing.admitEveryMs' },
    without: 'places are handed out only where a commit has asked for it',
    ...{ scene: 'window', faults: { lostRequest: 1 }, caught: 'stuck' },
  },
  admissionIsAlone: {
    ...{ rule: 'R28', file: ADMIT, code: `perform pg_advisory_xact_lock(hashtext('pawl admission'))` },
    without: 'two admissions count the same places as free',
    ...{ scene: 'quota', faults: {}, caught: tooMany },
  },
  windowBoundsProject: {
    ...{ rule: 'R28', file: ADMIT, code: 'floor(places * weight / sum(weight) over (partition by provider))' },
    without: 'a project whose steps hang has all places',
    ...{ scene: 'window', faults: { hang: 2 }, caught: 'stuck' },
  },
} satisfies Table<{ scene: AdmissionScene }>;

export type AdmissionGuards = Up<typeof admissionGuards>;
