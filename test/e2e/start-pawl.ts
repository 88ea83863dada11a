import { createHarness, startBackgroundWorker } from '../harness/create-harness.ts';

/** Starts Pawl with a worker and the scripted model. A user of a client changes only its base URL, to `baseURL`. */
export async function startPawl() {
  const harness = await createHarness();
  const worker = await startBackgroundWorker(harness);
  const { modelRequests, url } = harness;
  return {
    ...{ harness, url, baseURL: `${url}/v1`, modelRequests },
    lastSent: () => modelRequests.at(-1)!.body.messages,
    [Symbol.asyncDispose]: async () => {
      await worker[Symbol.asyncDispose]();
      await harness[Symbol.asyncDispose]();
    },
  };
}

/** Pawl as the tests of clients see it. */
export type Pawl = Awaited<ReturnType<typeof startPawl>>;
