import type { KeptDoomed } from './doomed.ts';
import { findFaults } from './find-faults.ts';
import { type Observed, observe } from './observe.ts';
import type { Ground } from './open-ground.ts';
import { type Played, play } from './play.ts';
import { partOf, type Reference } from './reference.ts';

/** A reference as it goes when nobody dies: what was crossed, the points among it that are meant, and the end. */
export type Undisturbed = { reference: Reference; crossed: string[]; points: string[]; end: Observed };

/** Plays a reference without a death. */
export async function playUndisturbed(reference: Reference, ground: Ground, kept: KeptDoomed): Promise<Undisturbed> {
  const { scene, crossed } = await play(reference, ground, await kept.take(partOf(reference)), null);
  const { points: meant } = reference;
  const points = distinct(crossed).filter((point) => (meant ? meant.test(point) : !BY_THE_CLOCK.test(point)));
  return { reference, crossed, points, end: await observe(scene) };
}

/** What came of a death at one point; where it did not happen, the point was not there again. */
export type Death = { point: string; happened: boolean; faults: string[] };

/** Plays a reference with a death at one of its points, and looks at what is left. */
export async function dieAt(
  point: string,
  undisturbed: Undisturbed,
  { ground, kept }: { ground: Ground; kept: KeptDoomed },
): Promise<Death> {
  const { reference, end } = undisturbed;
  try {
    const played = await playUntilDead(point, reference, { ground, kept });
    if (!played) return { point, happened: false, faults: [] };
    const { scene, answer, leftovers } = played;
    const faults = [
      ...findFaults(await observe(scene), end),
      ...(answer === null || reference.answers?.includes(answer) ? [] : [`answered ${answer}`]),
      ...leftovers.filter((state) => !MAY_BE_LEFT.has(state)).map((state) => `a job was left ${state}`),
      ...((await ground.leftovers.isEmpty()) ? [] : ['a job that came late rang for something']),
    ];
    return { point, happened: true, faults };
  } catch (error) {
    return { point, happened: true, faults: [String(error)] };
  }
}

/** What comes by the clock, in every reference alike. */
const BY_THE_CLOCK = /(?:rescue|heartbeat) ›|forget-keys|› workers/;

/** The job the dead had on hand, until its lock lapses, and one that is to be tried again but has been by now. */
const MAY_BE_LEFT = new Set(['active', 'delayed']);

const TRIES = 4;

/** What happens side by side is not there each time, so a point is tried some times. */
async function playUntilDead(
  point: string,
  reference: Reference,
  { ground, kept }: { ground: Ground; kept: KeptDoomed },
): Promise<Played | null> {
  for (let tried = 0; tried < TRIES; tried += 1) {
    const played = await play(reference, ground, await kept.take(partOf(reference)), point);
    if (played.died) return played;
  }
  return null;
}

/** A way back and the way out that comes next are one point: the process reaches for nothing between them. */
function distinct(crossed: string[]): string[] {
  return crossed.filter((point, place) => !(point.startsWith('after ') && WAY_OUT.test(crossed[place + 1] ?? '')));
}

const WAY_OUT = /^(?:before|take) /;
