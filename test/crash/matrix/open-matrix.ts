import { apiReferences } from './api-references.ts';
import { type Doomed, keepDoomed, type Part } from './doomed.ts';
import { openGround } from './open-ground.ts';
import { play } from './play.ts';
import type { Reference } from './reference.ts';
import { type Death, dieAt, playUndisturbed, type Undisturbed } from './run-points.ts';
import { shareGrounds } from './share-grounds.ts';
import { workerReferences } from './worker-references.ts';

/** All there is to die in. */
export const references = [...workerReferences, ...apiReferences];

export type Matrix = Awaited<ReturnType<typeof openMatrix>>;

/** Grounds with one queue, and processes to die on them, on as many at once as there are `lanes`. */
export async function openMatrix(redis: boolean, { lanes, parts }: { lanes: number; parts: Part[] }) {
  const opened = await Promise.all(Array.from({ length: lanes }, () => openGround(redis)));
  const practise = (first: Doomed, part: Part) => play(PRACTICE[part], opened[0]!, first, null);
  const kept = await keepDoomed(parts, lanes, practise);
  const grounds = shareGrounds(opened);

  return {
    playUndisturbed: (reference: Reference): Promise<Undisturbed> =>
      grounds.on((ground) => playUndisturbed(reference, ground, kept)),
    dieAtEach: (points: string[], undisturbed: Undisturbed): Promise<Death[]> =>
      Promise.all(points.map((point) => grounds.on((ground) => dieAt(point, undisturbed, { ground, kept })))),
    [Symbol.asyncDispose]: async () => {
      await kept[Symbol.asyncDispose]();
      await grounds[Symbol.asyncDispose]();
    },
  };
}

/** What crosses most, so that most is loaded. */
const PRACTICE = { worker: workerReferences[0]!, api: apiReferences[0]! };
