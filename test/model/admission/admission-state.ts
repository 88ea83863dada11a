import type { Kept } from '../explore/plain-model.ts';

/** The bound of project `a`, which has two turns: the `window` that it shares with `b`, or its own `quota`. */
export type AdmissionScene = 'window' | 'quota';

export type ProjectName = 'a' | 'b';

/** The most slots of a project: its window and its quota, if any. */
export type Bounds = { window: number; quota: number | null };

/** Two projects with their turns, their slots and their jobs. */
export type AdmissionState = Kept & {
  bounds: Record<ProjectName, Bounds>;
  turns: AdmittedTurn[];
  /** Whether a commit has asked its process for an admission. */
  isRequested: boolean;
  admitters: Admitter[];
  runs: AdmittedRun[];
};

/** A turn with `turns.slot` and the columns that `slot` depends on. */
export type AdmittedTurn = {
  project: ProjectName;
  status: 'active' | 'waits' | 'ended';
  slot: 'none' | 'wanted' | 'held' | null;
  due: 'far' | 'late' | 'never';
  isPostponed: boolean;
  /** Whether the step has begun and has generation 0: a job may start without a lease. */
  isFresh: boolean;
  /** The run that the lease names: a slot, or a run that is over. */
  owner: number | 'over' | null;
  /** The jobs in the queue: one of the present generation, and one of an earlier generation. */
  job: boolean;
  oldJob: boolean;
};

/** A process that assigns slots, with the slots that it has counted for each project. */
export type Admitter = { counted: Record<ProjectName, number> | null };

export type AdmittedRun = { at: 'idle' | 'wants-lease' | 'working' | 'hanging'; turn: number };

/** Returns a flood of project `a` and one turn of `b`, as their commits left them. */
export function firstAdmission(bounds: AdmissionState['bounds']): Omit<AdmissionState, keyof Kept> {
  return {
    ...{ bounds, turns: [newTurn('a'), newTurn('a'), newTurn('b')], isRequested: true },
    admitters: [{ counted: null }, { counted: null }],
    runs: [{ ...IDLE }, { ...IDLE }],
  };
}

export const IDLE: AdmittedRun = { at: 'idle', turn: 0 };

function newTurn(project: ProjectName): AdmittedTurn {
  return {
    ...{ project, status: 'active', slot: 'wanted', due: 'never', isPostponed: false, isFresh: false },
    ...{ owner: null, job: false, oldJob: false },
  };
}

export function heldBy({ turns }: Pick<AdmissionState, 'turns'>, project: ProjectName): number {
  return turns.filter((turn) => turn.project === project && turn.slot === 'held').length;
}
