import { afterAll, beforeAll } from 'vitest';
import { createHarness, type Harness, startBackgroundWorker } from '#test/harness/create-harness.ts';

/**
 * Opens one harness with a worker for all tests of a file that ask for it. For tables of requests that leave nothing: a
 * request that is accepted by mistake is then answered, and does not wait for a worker.
 */
export function shareHarness(env: Record<string, string> = {}): () => Harness {
  let opened: { harness: Harness; worker: AsyncDisposable } | undefined;
  beforeAll(async () => {
    const harness = await createHarness({ env });
    opened = { harness, worker: await startBackgroundWorker(harness) };
  });
  afterAll(async () => {
    await opened?.worker[Symbol.asyncDispose]();
    await opened?.harness[Symbol.asyncDispose]();
  });
  return () => {
    if (!opened) throw new Error('The harness is open while tests run. Call this within a test.');
    return opened.harness;
  };
}
