import { admitTurns, type PlaceShares } from '#core/checkpoint/limits/admit-turns.ts';
import { arePlacesUsed, requirePlaces } from '#core/checkpoint/limits/require-places.ts';
import type { Db } from '#core/checkpoint/tables.ts';
import type { Wakeup } from '#core/turn/wakeup.ts';
import type { Projects } from './projects.ts';
import { type RequestedWork, workOnRequest } from './work-on-request.ts';

/** Gives the turns of several projects their places among those of the workers, and enqueues them (R27, R28). */
export type Admission = RequestedWork & {
  /** Whether turns need a place: several projects share the workers, or one may have only so many turns at work. */
  isNeeded(): boolean;
  /** By the clock: what no commit has asked for, or what a process that died has not done. */
  tick(): Promise<void>;
};

type Given = {
  db: Db;
  /** As they are configured now. */
  projects(): Projects;
  /** The places of one worker. */
  concurrency: number;
  enqueue(wakeups: Wakeup[]): Promise<boolean>;
  suspect(error: unknown): void;
};

/** Where no turn needs a place, a tick is for those that did: of processes that know of more projects, or before a reload. */
const IDLE_TICKS = 4;

/**
 * Makes the admission of a process. A request follows a commit that may have freed a place, or asked for one. An admission
 * that fails is left to the next tick.
 */
export function makeAdmission({ db, projects, concurrency, enqueue, suspect }: Given): Admission {
  let wasNeeded = false;
  let wasUsed = false;
  let idleTicks = 0;
  const isNeeded = () => arePlacesNeeded(projects());

  async function admit(): Promise<void> {
    const wakeups = await admitTurns(db, sharesOf(projects(), concurrency));
    if (wakeups.length > 0) await enqueue(wakeups);
    // After a reload that leaves a project alone, turns go on to hold places until the last of them has ended.
    wasUsed = isNeeded() || (await arePlacesUsed(db));
  }

  const admissions = workOnRequest(admit, suspect);
  return {
    isNeeded,
    request: () => {
      if (isNeeded() || wasUsed) admissions.request();
    },
    tick: async () => {
      if (isNeeded() && !wasNeeded) await requirePlaces(db);
      wasNeeded = isNeeded();
      idleTicks = wasNeeded || wasUsed ? 0 : (idleTicks + 1) % IDLE_TICKS;
      if (idleTicks === 0) await admit();
    },
    settled: admissions.settled,
  };
}

function arePlacesNeeded(projects: Projects): boolean {
  const configured = projects.configured();
  return configured.length > 1 || configured.some(({ maxActiveTurns }) => maxActiveTurns !== null);
}

function sharesOf(projects: Projects, concurrency: number): PlaceShares {
  const configured = projects.configured();
  const shares = configured.map(({ name: project, weight, maxActiveTurns: most }) => ({ project, weight, most }));
  return { shares, isShared: configured.length > 1, ownPlaces: concurrency };
}
