import { afterAll, beforeAll } from 'vitest';
import { createHarness, type Harness, startBackgroundWorker } from '#test/harness/create-harness.ts';

/**
 * Opens one harness with a worker for all tests of a file. Use it for tables of refused requests, which leave no
 * rows. The worker answers a request that is accepted by mistake, so the test does not hang.
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
