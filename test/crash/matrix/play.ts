import { setTimeout as sleep } from 'node:timers/promises';
import type { JobHandler } from '#core/queue/bell.ts';
import type { TurnResource } from '#core/turn/present-turn.ts';
import { isTerminal } from '#core/turn/turn.ts';
import type { World } from '#test/world/create-world.ts';
import type { Doomed } from './doomed.ts';
import type { Ground, Scene } from './open-ground.ts';
import type { Call, Reference } from './reference.ts';

/**
 * How a reference went. `crossed` is what the process crossed that was to die, if it lived; `answer` the status a caller
 * got in the end; `leftovers` the states of the jobs that nobody worked.
 */
export type Played = { scene: Scene; died: boolean; crossed: string[]; answer: number | null; leftovers: string[] };

/**
 * Plays a reference: the doomed process does its part until it is dead, or until all is done where it does not die. Then
 * others finish what it left, and whatever is still in the queue comes late.
 */
export async function play(reference: Reference, ground: Ground, doomed: Doomed, doom: string | null): Promise<Played> {
  const scene = ground.newScene();
  await reference.start(scene);
  const call = await reference.ask?.(scene);
  const { queueRefuses = false } = reference;
  const url = await doomed.open({ doom, env: scene.env, queueRefuses });

  const answer = call ? await askBoth(call, { scene, url, doomed }) : null;
  if (!call) await watch(reference, { scene, ground, doomed, isDoomed: doom !== null });
  const crossed = await doomed.crossed();
  const died = doomed.isDead();
  await doomed.kill();

  await finish(reference, scene);
  return { scene, died, crossed, answer, leftovers: await ground.leftovers.comeLate() };
}

/** Asks the doomed API, and if that never answers another one, as a caller does; the status that came in the end. */
async function askBoth(
  { method, path, ...more }: Call,
  { scene, url, doomed }: { scene: Scene; url: string | null; doomed: Doomed },
): Promise<number> {
  const first =
    url &&
    (await scene
      .at(url)
      .call(method, path, more)
      .catch(() => null));
  if (first) return first.status;
  await doomed.died;
  return (await scene.call(method, path, more)).status;
}

/** Somebody outside looks often only where he has something to do; a death is noticed at once. */
const OFTEN_MS = 20;
const SELDOM_MS = 300;

type Watching = { scene: Scene; ground: Ground; doomed: Doomed; isDoomed: boolean };

/**
 * Does what somebody outside does, until all is settled and acknowledged, and the process had time to hear of that; or
 * until it is dead.
 */
async function watch(reference: Reference, { scene, ground, doomed, isDoomed }: Watching): Promise<void> {
  const someTime = (ms: number) => Promise.race([doomed.died, sleep(ms)]);
  const reacted = new Set<string>();
  while (!doomed.isDead()) {
    await someTime(isDoomed && !reference.react ? SELDOM_MS : OFTEN_MS);
    const turns = await scene.turns();
    if ((await isSettled(scene, turns)) && (await ground.leftovers.isEmpty())) return void (await someTime(SELDOM_MS));
    await reactOnce(reference, { scene, turns, reacted });
  }
}

const LONGEST_MINUTES = 30;
const LONGEST_MS = 60_000;

/**
 * Others do all there is to do, and time passes whenever there is nothing. Minutes of the turn go by at once, so a machine
 * that is too busy to carry a ring is given some time of its own as well.
 */
async function finish(reference: Reference, scene: Scene): Promise<void> {
  const { world } = scene;
  const startedAt = performance.now();
  for (let minutes = 0; minutes < LONGEST_MINUTES || performance.now() - startedAt < LONGEST_MS; minutes += 1) {
    await workAll(world);
    const turns = await scene.turns();
    if (await isSettled(scene, turns)) return;
    await reactOnce(reference, { scene, turns, reacted: new Set() });
    await workAll(world);
    await world.advance(60_000);
    await world.rescue();
    if (minutes > LONGEST_MINUTES) await sleep(SELDOM_MS);
  }
  throw new Error(`stuck: not over after ${LONGEST_MINUTES} minutes`);
}

/** Works what waits. A queue that breaks off in the middle is asked again later, as a worker does; a step must not break. */
async function workAll(world: World): Promise<void> {
  const broken: unknown[] = [];
  const handle: JobHandler = (job) => world.handle(job).catch((error: unknown) => void broken.push(error));
  while (await world.workOnce(handle).catch(() => false));
  if (broken.length > 0) throw broken[0];
}

/** Nobody outside does the same twice to a turn that has not moved on. */
async function reactOnce(
  { react }: Reference,
  { scene, turns, reacted }: { scene: Scene; turns: TurnResource[]; reacted: Set<string> },
): Promise<void> {
  for (const turn of turns) {
    const state = `${turn.id} at ${turn.last_event}`;
    if (!reacted.has(state) && (await react?.(scene, turn))) reacted.add(state);
  }
}

/** Every turn has ended, and whoever is to be told has been. */
async function isSettled({ isTold }: Scene, turns: TurnResource[]): Promise<boolean> {
  return turns.every(({ status }) => isTerminal(status)) && (await isTold());
}
