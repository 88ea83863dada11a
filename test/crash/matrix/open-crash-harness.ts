import { type CrashingProcess, keepSpareProcesses, type Part } from './crashing-process.ts';
import { openLane, shareLanes } from './lane.ts';
import { play } from './play.ts';
import { answerReferences } from './references/answer-references.ts';
import { apiReferences } from './references/api-references.ts';
import { blobReferences } from './references/blob-references.ts';
import { compactionReferences } from './references/compaction-references.ts';
import { conversationReferences } from './references/conversation-references.ts';
import type { Reference } from './references/reference.ts';
import { responseReferences } from './references/response-references.ts';
import { workerReferences } from './references/worker-references.ts';
import { type Death, dieAt, playUndisturbed, type Undisturbed } from './run-points.ts';

/** All references. */
export const references = [
  ...[...workerReferences, ...blobReferences, ...compactionReferences, ...answerReferences, ...apiReferences],
  ...[...responseReferences, ...conversationReferences],
];

export type CrashHarness = Awaited<ReturnType<typeof openCrashHarness>>;

/** Opens lanes with one queue, and keeps processes ready to die in them. */
export async function openCrashHarness(redis: boolean, { lanes, parts }: { lanes: number; parts: Part[] }) {
  const opened = await Promise.all(Array.from({ length: lanes }, () => openLane(redis)));
  const practise = (first: CrashingProcess, part: Part) => play(PRACTICE[part], opened[0]!, first, null);
  const kept = await keepSpareProcesses(parts, lanes, practise);
  const shared = shareLanes(opened);

  return {
    playUndisturbed: (reference: Reference): Promise<Undisturbed> =>
      shared.use((lane) => playUndisturbed(reference, lane, kept)),
    dieAtEach: (points: string[], undisturbed: Undisturbed): Promise<Death[]> =>
      Promise.all(points.map((point) => shared.use((lane) => dieAt(point, undisturbed, { lane, kept })))),
    [Symbol.asyncDispose]: async () => {
      await kept[Symbol.asyncDispose]();
      await shared[Symbol.asyncDispose]();
    },
  };
}

/** The references that cross most, so that most is loaded. */
const PRACTICE = { worker: workerReferences[0]!, api: apiReferences[0]! };
