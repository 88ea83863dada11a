import type { JobQueue } from '#core/queue/job-queue.ts';
import { openJobQueue } from '#core/queue/open-job-queue.ts';
import { openStores } from '#services/process/stores.ts';

/** Longer than a busy machine keeps a statement of a test waiting, and shorter than a test may last. */
const PATIENT = { enqueueTimeoutMs: 120_000 };

/**
 * Opens stores for a test that works its jobs itself. A queue that refuses a job after a second leaves the job to a
 * rescuer, and no rescuer runs in such a test.
 */
export const openPatientStores: typeof openStores = (urls, onError) => openStores({ ...urls, ...PATIENT }, onError);

/** Opens the queue alone, for the same kind of test. */
export async function openPatientQueue(
  ...[urls, onError]: Parameters<typeof openJobQueue>
): Promise<JobQueue & AsyncDisposable> {
  const jobQueue = await openJobQueue({ ...urls, ...PATIENT }, onError);
  return { ...jobQueue, [Symbol.asyncDispose]: () => jobQueue.close() };
}
