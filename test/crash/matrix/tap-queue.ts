import { Job, Queue } from 'bullmq';
import type { Bell } from '#core/queue/bell.ts';
import type { JobData } from '#core/queue/job.ts';
import type { Crossings } from './crossings.ts';

/**
 * Crosses where a job is taken, around its acknowledgement, and around each job that is added. A queue that refuses does
 * so with the first job of each name.
 */
export function tapQueue(bell: Bell, { cross, around, queueRefuses }: Crossings): void {
  const { answer } = bell;
  bell.answer = (queues, handle, concurrency) => {
    const taking: typeof handle = (job) => {
      cross(`take ${nameOf(job)}`);
      return handle(job);
    };
    return answer(queues, taking, concurrency);
  };

  const refused = new Set<string>();
  const { add } = Queue.prototype;
  Queue.prototype.add = function (this: Queue, name: string, data, options) {
    const isRefused = queueRefuses && !refused.has(name);
    refused.add(name);
    const adding = () => (isRefused ? Promise.reject(new Error(REFUSAL)) : add.call(this, name, data, options));
    return around(`ring ${nameOf({ name, data })}`, adding);
  };
  const { moveToCompleted } = Job.prototype;
  Job.prototype.moveToCompleted = function (this: Job, ...args) {
    return around(`acknowledge ${nameOf(this)}`, () => moveToCompleted.apply(this, args));
  };
}

const REFUSAL = 'The queue refuses this job, since the test wants it to.';

function nameOf({ name, data }: { name: string; data: JobData }): string {
  return 'step' in data ? `${name} ${data.step}` : name;
}
