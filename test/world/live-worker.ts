import { openWorker } from '#services/worker/open-worker.ts';
import type { World } from './create-world.ts';

/**
 * A worker that works by itself until disposed, for what can only be seen while a step runs. One that does not beat
 * learns that a step is over from messages alone.
 */
export async function openLiveWorker({ worker, parts }: World, { beats = true } = {}): Promise<AsyncDisposable> {
  const withoutBeat = { ...worker, heartbeat: { ...worker.heartbeat, beat: async () => {} } };
  const { close } = await openWorker(beats ? worker : withoutBeat, parts.bell, 8);
  return { [Symbol.asyncDispose]: () => close(0) };
}
