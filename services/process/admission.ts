import { admitTurns, type SlotShares } from '#core/checkpoint/limits/admit-turns.ts';
import { areSlotsUsed, requireSlots } from '#core/checkpoint/limits/require-slots.ts';
import type { Db } from '#core/checkpoint/tables.ts';
import type { Wakeup } from '#core/turn/wakeup.ts';
import type { Projects } from './projects.ts';
import { type RequestedWork, workOnRequest } from './work-on-request.ts';

/** Assigns slots of the workers to the turns of several projects, and enqueues these turns (R27, R28). */
export type Admission = RequestedWork & {
  /** Returns whether turns need a slot: several projects share the workers, or a project limits its active turns. */
  isNeeded(): boolean;
  /** Admits turns by the clock, for requests that were lost with a process or that no commit made. */
  tick(): Promise<void>;
};

type Given = {
  db: Db;
  /** Returns the projects as they are configured now. */
  projects(): Projects;
  concurrency: number;
  enqueue(wakeups: Wakeup[]): Promise<boolean>;
  suspect(error: unknown): void;
};

/** The ticks between admissions while no turn needs a slot here. Other processes or older turns may need slots. */
const IDLE_TICKS = 4;

/**
 * Makes the admission of a process. A request follows a commit that may have freed or requested a slot. The next tick
 * repeats a failed admission.
 */
export function makeAdmission({ db, projects, concurrency, enqueue, suspect }: Given): Admission {
  let wasNeeded = false;
  let wasUsed = false;
  let idleTicks = 0;
  const isNeeded = () => areSlotsNeeded(projects());

  async function admit(): Promise<void> {
    const wakeups = await admitTurns(db, sharesOf(projects(), concurrency));
    if (wakeups.length > 0) await enqueue(wakeups);
    // After a reload that leaves a single project, turns keep their slots until the last has ended.
    wasUsed = isNeeded() || (await areSlotsUsed(db));
  }

  const admissions = workOnRequest(admit, suspect);
  return {
    isNeeded,
    request: () => {
      if (isNeeded() || wasUsed) admissions.request();
    },
    tick: async () => {
      if (isNeeded() && !wasNeeded) await requireSlots(db);
      wasNeeded = isNeeded();
      idleTicks = wasNeeded || wasUsed ? 0 : (idleTicks + 1) % IDLE_TICKS;
      if (idleTicks === 0) await admit();
    },
    settled: admissions.settled,
  };
}

function areSlotsNeeded(projects: Projects): boolean {
  const configured = projects.configured();
  return configured.length > 1 || configured.some(({ maxActiveTurns }) => maxActiveTurns !== null);
}

function sharesOf(projects: Projects, concurrency: number): SlotShares {
  const configured = projects.configured();
  const shares = configured.map(({ name: project, weight, maxActiveTurns: most }) => ({ project, weight, most }));
  return { shares, isShared: configured.length > 1, ownSlots: concurrency };
}
