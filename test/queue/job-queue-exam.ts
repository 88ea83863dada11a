import { expect, onTestFinished, test, vi } from 'vitest';
import { newId } from '#core/id.ts';
import type { JobHandler, JobQueue } from '#core/queue/job-queue.ts';
import type { TurnWakeup } from '#core/turn/wakeup.ts';

const ALL = ['turns-openai', 'anytime'];

/** Checks all that Pawl requires of each queue. Several stores keep the order of jobs only within each store. */
export function examineJobQueue(
  openTestQueue: () => Promise<JobQueue & AsyncDisposable>,
  { stores = 1 }: { stores?: number } = {},
): void {
  test('a wakeup that is enqueued twice is one job', async () => {
    await using jobQueue = await openTestQueue();
    const wakeup = newWakeup();

    await jobQueue.enqueue([wakeup]);
    await jobQueue.enqueue([wakeup]);

    expect(await drain(jobQueue)).toEqual([`${wakeup.turnId}-r1`]);
  });

  test('a higher generation enqueues the same step again, even during its own job', async () => {
    await using jobQueue = await openTestQueue();
    const wakeup = newWakeup();
    await jobQueue.enqueue([wakeup]);

    await jobQueue.workOnce(ALL, () => jobQueue.enqueue([{ ...wakeup, generation: 1 }]));

    expect(await drain(jobQueue)).toEqual([`${wakeup.turnId}-r1`]);
  });

  test('an early wakeup of a job is available after the job is acknowledged', async () => {
    await using jobQueue = await openTestQueue();
    const [wakeup, next] = [newWakeup(), newWakeup({ step: 'b1' })];
    await jobQueue.enqueue([wakeup]);

    await jobQueue.workOnce(ALL, async () => void (await jobQueue.enqueueBeforeAck([next])));

    expect(await drain(jobQueue)).toEqual([`${next.turnId}-b1`]);
  });

  test('a job may continue with steps of its queue briefly, and longer with a free slot', async () => {
    await using jobQueue = await openTestQueue();
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const [begun, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const answers: Record<string, boolean | undefined> = {};

    const workers = await jobQueue.work(
      ALL,
      async ({ mayContinue = () => undefined }) => {
        answers.atOnce = mayContinue('turns-openai');
        answers.ofAnotherQueue = mayContinue('anytime');
        vi.advanceTimersByTime(1_001);
        answers.later = mayContinue('turns-openai');
        workers.resize(8);
        answers.laterWithRoom = mayContinue('turns-openai');
        begun.resolve();
        await ended.promise;
        answers.whileClosing = mayContinue('turns-openai');
      },
      1,
    );
    await jobQueue.enqueue([newWakeup()]);
    await begun.promise;
    const closed = workers.close(5_000);
    ended.resolve();
    await closed;

    expect(answers).toEqual({
      ...{ atOnce: true, ofAnotherQueue: false, later: false, laterWithRoom: true, whileClosing: false },
    });
  });

  test('a caller that enqueues early gets the outcome', async () => {
    await using jobQueue = await openTestQueue();

    const { arrived } = await jobQueue.enqueueBeforeAck([newWakeup()]);

    await expect(arrived).resolves.toBeUndefined();
    expect(await drain(jobQueue)).toHaveLength(1);
  });

  test('a used id can be enqueued again', async () => {
    await using jobQueue = await openTestQueue();
    const wakeup = newWakeup();

    await jobQueue.enqueue([wakeup]);
    const first = await drain(jobQueue);
    await jobQueue.enqueue([wakeup]);

    expect(await drain(jobQueue)).toEqual(first);
  });

  test.skipIf(stores > 1)(
    'jobs of running turns precede new turns, and new turns are ordered by priority',
    async () => {
      await using jobQueue = await openTestQueue();
      const [plain, urgent, running] = [newWakeup(), newWakeup({ priority: 5 }), newWakeup({ step: 'r2' })];

      await jobQueue.enqueue([plain, urgent, running]);

      expect(await drain(jobQueue)).toEqual([`${running.turnId}-r2`, `${urgent.turnId}-r1`, `${plain.turnId}-r1`]);
    },
  );

  test('a delayed wakeup waits for its time', async () => {
    await using jobQueue = await openTestQueue();

    await jobQueue.enqueue([newWakeup({ delayMs: 3_600_000 })]);

    expect(await drain(jobQueue)).toEqual([]);
    expect(await jobQueue.count(ALL)).toMatchObject({ delayed: 1 });
  });

  test('a job that throws is removed from the queue', async () => {
    await using jobQueue = await openTestQueue();
    await jobQueue.enqueue([newWakeup()]);

    const broken = jobQueue.workOnce(ALL, () => Promise.reject(new Error('broken \u0000')));
    await expect(broken).rejects.toThrow('broken');

    expect(await drain(jobQueue)).toEqual([]);
    expect(Object.values(await jobQueue.count(ALL)).every((count) => count === 0)).toBe(true);
  });

  test('a worker takes the jobs that are enqueued while it works, and closes', async () => {
    await using jobQueue = await openTestQueue();
    const handled = Promise.withResolvers<string>();
    const wakeup = newWakeup();

    const answering = await jobQueue.work(
      ALL,
      async ({ data }) => handled.resolve('turnId' in data ? data.turnId : ''),
      4,
    );
    await jobQueue.enqueue([wakeup]);

    expect(await handled.promise).toBe(wakeup.turnId);
    await answering.close(1_000);
  });
}

export function newWakeup(own: Partial<TurnWakeup> = {}): TurnWakeup {
  return { kind: 'turn', turnId: newId('turn'), step: 'r1', generation: 0, provider: 'openai', priority: 0, ...own };
}

/** Runs all waiting jobs, and returns their turns in order. */
async function drain(jobQueue: JobQueue): Promise<string[]> {
  const worked: string[] = [];
  const note: JobHandler = async ({ data }) => void worked.push(`${data.turnId}-${data.step}`);
  while (await jobQueue.workOnce(ALL, note));
  return worked;
}
