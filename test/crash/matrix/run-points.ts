import { readdirSync } from 'node:fs';
import { basename } from 'node:path';
import type { SpareProcesses } from './crashing-process.ts';
import { findBatchFaults } from './find-batch-faults.ts';
import { findFaults } from './find-faults.ts';
import { findResponseFaults } from './find-response-faults.ts';
import type { Lane } from './lane.ts';
import { type Observed, observe } from './observe.ts';
import { type Played, play } from './play.ts';
import { partOf, type Reference } from './references/reference.ts';

/** A reference played without a death: its crossings, the points to play, and the outcome. */
export type Undisturbed = { reference: Reference; crossed: string[]; points: string[]; end: Observed };

export async function playUndisturbed(reference: Reference, lane: Lane, kept: SpareProcesses): Promise<Undisturbed> {
  const { scene, crossed } = await play(reference, lane, await kept.take(partOf(reference)), null);
  const { points: chosen } = reference;
  const points = distinct(crossed).filter((point) => (chosen ? chosen.test(point) : !BY_THE_CLOCK.test(point)));
  return { reference, crossed, points, end: await observe(scene) };
}

/** The result of a death at one point. If it did not happen, the point was not crossed again. */
export type Death = { point: string; happened: boolean; faults: string[] };

/** Plays a reference with a death at one of its points, and compares the outcome. */
export async function dieAt(
  point: string,
  undisturbed: Undisturbed,
  { lane, kept }: { lane: Lane; kept: SpareProcesses },
): Promise<Death> {
  const { reference, end } = undisturbed;
  try {
    const played = await playUntilDead(point, reference, { lane, kept });
    if (!played) return { point, happened: false, faults: [] };
    const { scene, answer, leftovers } = played;
    const now = await observe(scene);
    const faults = [
      ...findFaults(now, end, reference.repeats),
      ...findResponseFaults(now, end, point),
      ...findBatchFaults(now, end),
      ...(answer === null || reference.answers?.includes(answer) ? [] : [`answered ${answer}`]),
      ...leftovers.filter((state) => !MAY_BE_LEFT.has(state)).map((state) => `a job stayed ${state}`),
      ...((await lane.leftovers.isEmpty()) ? [] : ['a late job enqueued another job']),
    ];
    return { point, happened: true, faults };
  } catch (error) {
    return { point, happened: true, faults: [String(error)] };
  }
}

const ROUTINES = readdirSync(new URL('../../../services/worker/routines/', import.meta.url));

/** Points that the clock causes, in every reference. A second play crosses them at other points. */
const BY_THE_CLOCK = new RegExp(
  [
    `(?:${[...ROUTINES.map((file) => basename(file, '.ts')), 'heartbeat', 'admission', 'work-bulks', 'delivery-loop', 'batch-loop'].join('|')}) [›#]`,
    'deleteExpiredIdempotencyKeys|(?:record|remove|count)Workers? ',
  ].join('|'),
);

/** The job of the dead process, until its lock expires, and a job that waits for a retry that is already done. */
const MAY_BE_LEFT = new Set(['active', 'delayed']);

const TRIES = 4;

/** Plays until the process dies. Concurrent work differs from play to play, so a point is tried several times. */
async function playUntilDead(
  point: string,
  reference: Reference,
  { lane, kept }: { lane: Lane; kept: SpareProcesses },
): Promise<Played | null> {
  for (let tried = 0; tried < TRIES; tried += 1) {
    const played = await play(reference, lane, await kept.take(partOf(reference)), point);
    if (played.died) return played;
  }
  return null;
}

/** Removes returns that a crossing follows: between the two the process touches no other process or store. */
function distinct(crossed: string[]): string[] {
  return crossed.filter((point, index) => !(point.startsWith('after ') && WAY_OUT.test(crossed[index + 1] ?? '')));
}

const WAY_OUT = /^(?:before|take) /;

export function describeDeaths(of: string, deaths: Death[]): string {
  const missed = missedOf(deaths);
  const summary = `killed at ${deaths.length - missed.length} of ${deaths.length} points of ${of}`;
  return missed.length === 0 ? summary : `${summary}. Not reached again: ${missed.join(', ')}`;
}

/** Returns the differences after each death. */
export function faultsOf(deaths: Death[]): string[] {
  return deaths.flatMap(({ point, faults }) => faults.map((fault) => `${point}: ${fault}`));
}

/** Returns the points that were not crossed again, if there are more than chance explains. */
export function tooManyMissed(deaths: Death[]): string[] {
  const missed = missedOf(deaths);
  return missed.length > Math.max(1, deaths.length * MAY_MISS) ? missed : [];
}

const MAY_MISS = 0.02;

function missedOf(deaths: Death[]): string[] {
  return deaths.filter(({ happened }) => !happened).map(({ point }) => point);
}
