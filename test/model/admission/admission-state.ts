import type { Kept } from '../explore/plain-model.ts';

/** What bounds project `a`, which has two turns: the `window` that it shares with `b`, or a `quota` of its own. */
export type AdmissionScene = 'window' | 'quota';

export type ProjectName = 'a' | 'b';

/** The places that a project may have at most: its window, and where it has one its quota. */
export type Bounds = { window: number; quota: number | null };

/** Two projects with their turns, their places and their jobs. */
export type AdmissionState = Kept & {
  bounds: Record<ProjectName, Bounds>;
  turns: AdmittedTurn[];
  /** A commit has asked its process for an admission. */
  isRequested: boolean;
  admitters: Admitter[];
  runs: AdmittedRun[];
};

/** `turns.place` beside what it depends on. */
export type AdmittedTurn = {
  project: ProjectName;
  status: 'active' | 'waits' | 'ended';
  place: 'none' | 'wanted' | 'held' | null;
  due: 'far' | 'late' | 'never';
  isPostponed: boolean;
  /** Begun, and of generation 0: a job may start without a lease. */
  isFresh: boolean;
  /** The run that the lease names: a slot, or one that is over. */
  owner: number | 'over' | null;
  /** The jobs in the queue: of the present generation, and of an earlier one. */
  job: boolean;
  oldJob: boolean;
};

/** A process that hands places out: how many it has counted for each project. */
export type Admitter = { counted: Record<ProjectName, number> | null };

export type AdmittedRun = { at: 'idle' | 'wants-lease' | 'working' | 'hanging'; turn: number };

/** A flood of project `a` and one turn of `b`, as their commits left them. */
export function firstAdmission(bounds: AdmissionState['bounds']): Omit<AdmissionState, keyof Kept> {
  return {
    ...{ bounds, turns: [newTurn('a'), newTurn('a'), newTurn('b')], isRequested: true },
    admitters: [{ counted: null }, { counted: null }],
    runs: [{ ...IDLE }, { ...IDLE }],
  };
}

/** A worker without a run. */
export const IDLE: AdmittedRun = { at: 'idle', turn: 0 };

function newTurn(project: ProjectName): AdmittedTurn {
  return {
    ...{ project, status: 'active', place: 'wanted', due: 'never', isPostponed: false, isFresh: false },
    ...{ owner: null, job: false, oldJob: false },
  };
}

/** How many places a project has. */
export function heldBy({ turns }: Pick<AdmissionState, 'turns'>, project: ProjectName): number {
  return turns.filter((turn) => turn.project === project && turn.place === 'held').length;
}
