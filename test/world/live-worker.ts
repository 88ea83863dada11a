import { openWorker } from '#services/worker/open-worker.ts';
import type { World } from './create-world.ts';

/** A worker that works by itself until disposed, for what can only be seen while a step runs. */
export async function openLiveWorker({ worker, parts }: World): Promise<AsyncDisposable> {
  const { close } = await openWorker(worker, parts.bell, 8);
  return { [Symbol.asyncDispose]: () => close(0) };
}
