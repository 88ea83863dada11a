import type { JobQueue } from '#core/queue/job-queue.ts';
import { openJobQueue } from '#core/queue/open-job-queue.ts';
import { openStores } from '#services/process/stores.ts';

/** The time limit for the queue: longer than a busy machine delays a statement, and shorter than a test may last. */
const PATIENT = { enqueueTimeoutMs: 120_000 };

/**
 * Opens stores for a test that runs its jobs itself. A queue that refuses a job after a second leaves the job to a
 * rescuer, and such a test has no rescuer.
 */
export const openPatientStores: typeof openStores = (urls, onError) => openStores({ ...urls, ...PATIENT }, onError);

/** Opens only the queue, for the same kind of test. */
export async function openPatientQueue(
  ...[urls, onError]: Parameters<typeof openJobQueue>
): Promise<JobQueue & AsyncDisposable> {
  const jobQueue = await openJobQueue({ ...urls, ...PATIENT }, onError);
  return { ...jobQueue, [Symbol.asyncDispose]: () => jobQueue.close() };
}
