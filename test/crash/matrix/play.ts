import { setTimeout as sleep } from 'node:timers/promises';
import { plainProject } from '#core/project.ts';
import type { JobHandler } from '#core/queue/job-queue.ts';
import type { TurnResource } from '#core/turn/resource/turn.ts';
import { isTerminal } from '#core/turn/turn.ts';
import { makeProjects } from '#services/process/projects.ts';
import type { Harness } from '#test/harness/create-harness.ts';
import type { CrashingProcess } from './crashing-process.ts';
import type { Lane, Scene } from './lane.ts';
import type { Call, Reference } from './references/reference.ts';

/**
 * The result of a reference. `crossed`: the points that the process crossed, if it lived. `answer`: the last status
 * that the caller got. `leftovers`: the states of the remaining jobs.
 */
export type Played = { scene: Scene; died: boolean; crossed: string[]; answer: number | null; leftovers: string[] };

/**
 * Plays a reference: the process does its part until it dies or all is done. Then other processes finish the rest,
 * and run late jobs in the queue.
 */
export async function play(
  reference: Reference,
  lane: Lane,
  crashing: CrashingProcess,
  crashAt: string | null,
): Promise<Played> {
  const scene = lane.newScene(reference.model);
  const projects = reference.projects?.(scene) ?? [];
  scene.harness.parts.projects = makeProjects(projects.map(plainProject));
  await reference.start(scene);
  const call = await reference.request?.(scene);
  const { queueRefuses = false, queuesSteps = false } = reference;
  const url = await crashing.open({
    crashAt,
    env: { ...scene.env, ...reference.env },
    queueRefuses,
    queuesSteps,
    projects,
  });

  const answer = call ? await askBoth(call, { scene, url, crashing }) : null;
  if (!call) await watch(reference, { scene, lane, crashing, willDie: crashAt !== null });
  const crossed = await crashing.crossed();
  const died = crashing.isDead();
  await crashing.kill();

  await finish(reference, scene);
  return { scene, died, crossed, answer, leftovers: await lane.leftovers.workLate() };
}

/** Sends a request to the crashing API, and to another API if the first never answers. Returns the last status. */
async function askBoth(
  { method, path, ...more }: Call,
  { scene, url, crashing }: { scene: Scene; url: string | null; crashing: CrashingProcess },
): Promise<number> {
  const first =
    url &&
    (await scene
      .at(url)
      .call(method, path, more)
      .catch(() => null));
  if (first) return first.status;
  await crashing.died;
  return (await scene.call(method, path, more)).status;
}

/** A caller polls often only if it has work to do. A death is noticed at once. */
const OFTEN_MS = 20;
const SELDOM_MS = 300;

type Watching = { scene: Scene; lane: Lane; crashing: CrashingProcess; willDie: boolean };

/** Acts as a caller until all is settled and acknowledged and the process had time to notice, or until it is dead. */
async function watch(reference: Reference, { scene, lane, crashing, willDie }: Watching): Promise<void> {
  const someTime = (ms: number) => Promise.race([crashing.died, sleep(ms)]);
  const reacted = new Set<string>();
  while (!crashing.isDead()) {
    await someTime(willDie && !reference.react ? SELDOM_MS : OFTEN_MS);
    const turns = await scene.turns();
    if ((await isSettled(scene, turns)) && (await lane.leftovers.isEmpty())) return void (await someTime(SELDOM_MS));
    await reactOnce(reference, { scene, turns, reacted });
  }
}

const LONGEST_MINUTES = 30;
const LONGEST_MS = 60_000;

/**
 * Finishes the work with other processes, and advances time whenever they have no work. Minutes of the turn pass at
 * once, so a machine that is too busy to carry a job also gets real time.
 */
async function finish(reference: Reference, scene: Scene): Promise<void> {
  const { harness } = scene;
  const startedAt = performance.now();
  for (let minutes = 0; minutes < LONGEST_MINUTES || performance.now() - startedAt < LONGEST_MS; minutes += 1) {
    await workAll(harness);
    // A due schedule is a turn that has not started yet.
    await harness.fireSchedules();
    const turns = await scene.turns();
    const hasReacted = await reactOnce(reference, { scene, turns, reacted: new Set() });
    if (!hasReacted && (await isSettled(scene, turns))) return;
    await workAll(harness);
    await harness.advance(60_000);
    await harness.queueDelayed();
    await harness.rescue();
    await harness.closeResponses();
    await harness.workBatches();
    if (minutes > LONGEST_MINUTES) await sleep(SELDOM_MS);
  }
  throw new Error(`stuck: not ended after ${LONGEST_MINUTES} minutes`);
}

/**
 * Runs waiting jobs, and sends due deliveries. If the queue fails, it asks again later, as a worker does. A step must
 * not fail.
 */
async function workAll(harness: Harness): Promise<void> {
  const failures: unknown[] = [];
  const handle: JobHandler = (job) => harness.handle(job).catch((error: unknown) => void failures.push(error));
  while (await harness.workOnce(handle).catch(() => false));
  await harness.deliver();
  if (failures.length > 0) throw failures[0];
}

/** Reacts once to each state of a turn. Returns whether a reaction was due. */
async function reactOnce(
  { react }: Reference,
  { scene, turns, reacted }: { scene: Scene; turns: TurnResource[]; reacted: Set<string> },
): Promise<boolean> {
  const before = reacted.size;
  for (const turn of turns) {
    const state = `${turn.id} at ${turn.last_event}`;
    if (!reacted.has(state) && (await react?.(scene, turn))) reacted.add(state);
  }
  return reacted.size > before;
}

/** Returns whether every turn has ended, its webhooks are delivered, and its responses and batches are deleted. */
async function isSettled(
  { isDelivered, countResponses, countBatchRows }: Scene,
  turns: TurnResource[],
): Promise<boolean> {
  const isEnded = turns.every(({ status }) => isTerminal(status));
  return isEnded && (await isDelivered()) && (await countResponses()) + (await countBatchRows()) === 0;
}
