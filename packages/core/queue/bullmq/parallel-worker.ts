import { type Job, Worker } from 'bullmq';
import type { JobData } from '../job.ts';

const FETCH_AGAIN_MS = 1_000;

/**
 * A worker that fetches jobs in parallel, while it works others. With 64 free slots, the first of 64 jobs would wait
 * for 64 round trips of BullMQ's own worker (docs/decisions/0051-jobs-are-fetched-side-by-side.md).
 */
export class ParallelWorker extends Worker<JobData> {
  #working = 0;

  hasFreeSlot(): boolean {
    return this.#working < this.concurrency;
  }

  override async run(): Promise<void> {
    if (this.closing) return;
    this.running = true;
    await this.startStalledCheckTimer();
    this.lockManager.start();
    // `close` waits for this loop.
    this.mainLoopRunning = this.fillSlots();
    await this.mainLoopRunning;
  }

  /**
   * Keeps the slots filled until the worker closes. While there are no jobs, only one slot waits for a job. After
   * each successful fetch, the number of parallel fetches doubles: 1, 1, 2, 4. All jobs but the first begin together,
   * so that the database gets their statements as a group.
   */
  private async fillSlots(): Promise<void> {
    const slots = new Set<Promise<void>>();
    // No `Promise.race` over the slots: every iteration would add a listener to long-running slots.
    let freed = Promise.withResolvers<void>();
    let found = 0;
    let together = Promise.withResolvers<void>();
    for (let looks = 0; !this.closing; ) {
      const free = this.concurrency - slots.size;
      if (free <= 0) {
        await freed.promise;
        continue;
      }
      const many = Math.min(free, Math.max(1, found));
      const areFound = Array.from({ length: many }, () => {
        const first = this.fetch(`${this.id}:${looks++}`, { block: found === 0 });
        const done = this.workSlot(first, {
          begins: found === 0 ? null : together.promise,
          goesOn: () => slots.size <= this.concurrency,
        });
        slots.add(done);
        void done.then(() => {
          slots.delete(done);
          freed.resolve();
          freed = Promise.withResolvers();
        });
        return first.then((job) => job !== undefined);
      });
      const isEach = (await Promise.all(areFound)).every(Boolean);
      found = isEach ? found + many : 0;
      if (isEach && slots.size < this.concurrency) continue;
      together.resolve();
      together = Promise.withResolvers();
    }
    together.resolve();
    await Promise.all(slots);
  }

  private async workSlot(
    first: Promise<Job<JobData> | undefined>,
    { begins, goesOn }: { begins: Promise<void> | null; goesOn: () => boolean },
  ): Promise<void> {
    let job = await first;
    if (job && begins) await begins;
    if (!job) return;
    this.#working += 1;
    while (job) job = (await this.processJob(job, job.token ?? '', goesOn).catch(() => {})) ?? undefined;
    this.#working -= 1;
  }

  private async fetch(token: string, how: { block: boolean }): Promise<Job<JobData> | undefined> {
    try {
      return await this.getNextJob(token, how);
    } catch (error) {
      this.emit('error', error as Error);
      if (!this.closing) await this.delay(FETCH_AGAIN_MS);
      return undefined;
    }
  }
}
