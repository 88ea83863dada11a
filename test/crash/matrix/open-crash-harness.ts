import { type CrashingProcess, keepSpareProcesses, type Part } from './crashing-process.ts';
import { OVER_RESPONSES, openLane, shareLanes } from './lane.ts';
import { play } from './play.ts';
import { admissionReferences } from './references/admission-references.ts';
import { agentReferences } from './references/agent-references.ts';
import { answerReferences } from './references/answer-references.ts';
import { apiReferences } from './references/api-references.ts';
import { backgroundReferences } from './references/background-references.ts';
import { batchReferences } from './references/batch-references.ts';
import { blobReferences } from './references/blob-references.ts';
import { compactionReferences } from './references/compaction-references.ts';
import { completionReferences } from './references/completion-references.ts';
import { conversationReferences } from './references/conversation-references.ts';
import { deliveryReferences } from './references/delivery-references.ts';
import { forkReferences } from './references/fork-references.ts';
import { inputReferences } from './references/input-references.ts';
import { limitReferences } from './references/limit-references.ts';
import type { Reference } from './references/reference.ts';
import { responseReferences } from './references/response-references.ts';
import { scheduleReferences } from './references/schedule-references.ts';
import { tierReferences } from './references/tier-references.ts';
import { workerReferences } from './references/worker-references.ts';
import { type Death, dieAt, playUndisturbed, type Undisturbed } from './run-points.ts';

/** All references. Every second reference asks its model over the Responses wire. */
export const references = [
  ...[
    ...workerReferences,
    ...deliveryReferences,
    ...blobReferences,
    ...completionReferences,
    ...compactionReferences,
    ...answerReferences,
    ...apiReferences,
  ],
  ...[...responseReferences, ...conversationReferences, ...admissionReferences, ...forkReferences, ...inputReferences],
  ...scheduleReferences,
  ...[...tierReferences, ...limitReferences, ...backgroundReferences, ...batchReferences],
  ...agentReferences,
].map((reference, index): Reference => (index % 2 === 0 ? { model: OVER_RESPONSES, ...reference } : reference));

export type CrashHarness = Awaited<ReturnType<typeof openCrashHarness>>;

/** Plays references with one queue. */
export type QueuePlays = {
  playUndisturbed(reference: Reference): Promise<Undisturbed>;
  dieAtEach(points: string[], undisturbed: Undisturbed): Promise<Death[]>;
};

/** For each queue, with or without Redis, the same number of `lanes`. */
type CrashOptions = { queues: { redis: boolean }[]; lanes: number; parts: Part[] };

/** Opens lanes with each queue, and keeps processes ready to die in any lane. */
export async function openCrashHarness({ queues, lanes, parts }: CrashOptions) {
  const opened = await Promise.all(
    queues.map(({ redis }) => Promise.all(Array.from({ length: lanes }, () => openLane(redis)))),
  );
  const [practised] = opened.flat();
  const practise = (first: CrashingProcess, part: Part) => play(PRACTICE[part], practised!, first, null);
  const kept = await keepSpareProcesses(parts, opened.flat().length, practise);
  const shared = opened.map(shareLanes);

  return {
    /** The plays of each queue, in the order of `queues`. */
    plays: shared.map(
      (lanesOfQueue): QueuePlays => ({
        playUndisturbed: (reference) => lanesOfQueue.use((lane) => playUndisturbed(reference, lane, kept)),
        dieAtEach: (points, undisturbed) =>
          Promise.all(points.map((point) => lanesOfQueue.use((lane) => dieAt(point, undisturbed, { lane, kept })))),
      }),
    ),
    [Symbol.asyncDispose]: async () => {
      await kept[Symbol.asyncDispose]();
      for (const lanesOfQueue of shared) await lanesOfQueue[Symbol.asyncDispose]();
    },
  };
}

/** The references that cross most points, so that most modules are loaded. */
const PRACTICE = { worker: workerReferences[0]!, api: apiReferences[0]! };
