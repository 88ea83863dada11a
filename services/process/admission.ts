import { setTimeout as pause } from 'node:timers/promises';
import { admitTurns, type PlaceShares } from '#core/checkpoint/limits/admit-turns.ts';
import { arePlacesUsed } from '#core/checkpoint/limits/are-places-used.ts';
import { requirePlaces } from '#core/checkpoint/limits/require-places.ts';
import type { Db } from '#core/checkpoint/tables.ts';
import type { Wakeup } from '#core/turn/wakeup.ts';
import type { Projects } from './projects.ts';

/** Gives the turns of several projects their places among those of the workers, and enqueues them (R27, R28). */
export type Admission = {
  /** Whether turns need a place: several projects share the workers, or one may have only so many turns at work. */
  isNeeded(): boolean;
  /** After a commit that may have freed a place, or asked for one: admits soon, once for all that ask meanwhile. */
  request(): void;
  /** By the clock: what no commit has asked for, or what a process that died has not done. */
  tick(): Promise<void>;
  /** Resolves once nothing is under way. */
  settled(): Promise<void>;
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

/**
 * Admissions of one process follow each other no closer than this, and than the last one took: under load one is for many turns,
 * and those of many projects leave the database half of its time.
 */
const GAP_MS = 5;
const LONGEST_GAP_MS = 100;

/** Where no turn needs a place, a tick is for those that did: of processes that know of more projects, or before a reload. */
const IDLE_TICKS = 4;

/** Makes the admission of a process. One that fails is left to the next tick. */
export function makeAdmission({ db, projects, concurrency, enqueue, suspect }: Given): Admission {
  let running: Promise<void> | null = null;
  let isAskedAgain = false;
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

  async function admitWhileAsked(): Promise<void> {
    do {
      isAskedAgain = false;
      const startedAt = performance.now();
      await admit().catch(suspect);
      const gapMs = Math.min(Math.max(GAP_MS, performance.now() - startedAt), LONGEST_GAP_MS);
      await pause(gapMs);
    } while (isAskedAgain);
    running = null;
  }

  return {
    isNeeded,
    request: () => {
      if (!isNeeded() && !wasUsed) return;
      isAskedAgain = true;
      running ??= admitWhileAsked();
    },
    tick: async () => {
      if (isNeeded() && !wasNeeded) await requirePlaces(db);
      wasNeeded = isNeeded();
      idleTicks = wasNeeded || wasUsed ? 0 : (idleTicks + 1) % IDLE_TICKS;
      if (idleTicks === 0) await admit();
    },
    settled: async () => {
      while (running) await running;
    },
  };
}

function arePlacesNeeded(projects: Projects): boolean {
  const configured = projects.configured();
  return configured.length > 1 || configured.some(({ maxActiveTurns }) => maxActiveTurns !== null);
}

function sharesOf(projects: Projects, concurrency: number): PlaceShares {
  const configured = projects.configured();
  const shares = configured.map(({ name, weight, maxActiveTurns }) => ({
    project: name,
    weight,
    most: maxActiveTurns,
  }));
  return { shares, isShared: configured.length > 1, ownPlaces: concurrency };
}
