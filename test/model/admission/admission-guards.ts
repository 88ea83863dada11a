import type { Left } from '../explore/plain-model.ts';
import type { GuardWords } from '../guards/guard.ts';
import type { AdmissionFault, AdmissionScene } from './admission-state.ts';

/** One condition that the places of turns depend on, and the faults that show its lack. */
export type AdmissionGuard = GuardWords & {
  scene: AdmissionScene;
  faults: Left<AdmissionFault>;
  caught: { broken: string } | 'stuck';
};

const ADMIT = 'migrations/0001-pawl.sql';
const withoutPlace = { broken: 'a step was at work without a place' };
const tooMany = { broken: 'a project had more places than its quota' };

/** What keeps places from being lost, and from being handed out twice: R27, R28. */
export const admissionGuards = {
  jobAsksForPlace: {
    ...{ rule: 'R27', file: 'packages/core/turn/next-step.ts', code: '!turn.work.atHead || lacksPlace(turn)' },
    without: 'a job that comes late is worked, without a lease, while its turn waits for a place',
    ...{ scene: 'quota', faults: { wait: 1, duplicate: 1 }, caught: withoutPlace },
  },
  leaseAsksForPlace: {
    ...{
      rule: 'R27',
      file: 'packages/core/checkpoint/turns/lease.ts',
      code: `isFree and hasCome('retry_at') and hasPlace`,
    },
    without: 'a run takes its lease on a turn that has given its place back since it was loaded',
    ...{ scene: 'window', faults: { postpone: 1, duplicate: 1 }, caught: withoutPlace },
  },
  endGivesPlaceBack: {
    ...{
      rule: 'R27',
      file: 'packages/core/checkpoint/turns/commits/write-ending.ts',
      code: 'gone as (delete from work using target where work.id = target.id),',
    },
    without: 'a turn that has ended keeps its place',
    ...{ scene: 'window', faults: {}, caught: 'stuck' },
  },
  waitGivesPlaceBack: {
    ...{
      rule: 'R27',
      file: 'packages/core/checkpoint/turns/postpone.ts',
      code: `place = case when staysAtWork then work.place else 'none' end`,
    },
    without: 'a turn that waits keeps its place, and is not enqueued with it',
    ...{ scene: 'window', faults: { postpone: 1 }, caught: 'stuck' },
  },
  answerAsksForPlace: {
    ...{
      rule: 'R27',
      file: 'packages/core/checkpoint/turns/commits/advance-any.ts',
      code: `when work.place = 'none' and (is_complete or was_waiting) then 'wanted'`,
    },
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
    ...{ rule: 'R28', file: 'services/worker/worker.ts', code: 'every(timing.admitEveryMs' },
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
} satisfies Record<string, AdmissionGuard>;

/** Which guards are up. */
export type AdmissionGuards = Readonly<Record<keyof typeof admissionGuards, boolean>>;
