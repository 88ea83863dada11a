import { isTransient } from '#core/postgres/retry-transient.ts';
import { type Job, jobOf } from '#core/queue/job.ts';
import { continuedStep, type Wakeup } from '#core/turn/wakeup.ts';
import type { LeavingHandler } from './batch/slow-batches.ts';
import type { WorkerContext } from './context.ts';
import { type DueStep, type WorkerSlot, workTurn } from './work-turn.ts';

/** A step, with the name of its job. */
type NamedStep = { name: Job['name']; data: DueStep };

/** Runs one step in the slot of a job. Returns the next step if the worker continues with that step. */
type StepWorker = (step: NamedStep, slot: JobSlot) => Promise<NamedStep | null>;

type JobSlot = WorkerSlot & { handsOver?: () => string | null };

/**
 * Runs the step of a job, and the next steps of its turn while the worker may continue
 * (docs/decisions/0074-a-worker-continues.md). Each step has its own run, lease, checkpoint and attempts. The last
 * wakeups are enqueued before the job is acknowledged. If the worker dies before that, the queue delivers the job
 * again. Its next worker finds the step that is due (R11).
 */
export function jobHandler(context: WorkerContext): LeavingHandler {
  return eachStep((step, slot) => workStep(step, slot, context));
}

/** Returns the handler of an open worker, which only logs failures. The row of the turn is due again automatically. */
export function loggingHandler(context: WorkerContext): LeavingHandler {
  return eachStep(logFailures((step, slot) => workStep(step, slot, context), context));
}

function eachStep(work: StepWorker): LeavingHandler {
  return async ({ name, data, ...slot }) => {
    for (let step: NamedStep | null = { name, data }; step; ) step = await work(step, slot);
  };
}

async function workStep({ data }: NamedStep, slot: JobSlot, context: WorkerContext): Promise<NamedStep | null> {
  // The row of the turn is due again automatically.
  if (context.heldWrites.blocks()) return null;
  const mayContinue = (queue: string) => !context.heldWrites.blocks() && (slot.mayContinue?.(queue) ?? false);
  const wakeups = await workTurn(data, context, { ...slot, mayContinue });
  const next = continuedStep(wakeups);
  const others = wakeups.filter((wakeup) => wakeup !== next);
  if (others.length > 0) await enqueueDue(others, next ? null : slot.handsOver?.(), context);
  if (!keepsSlot(data, wakeups)) context.admission.request();
  return next ? { name: jobOf(next).name, data: next } : null;
}

/**
 * Enqueues wakeups before the job is acknowledged. `next` is the queue of the job that the acknowledgement brings. If
 * `next` is null, no acknowledgement may follow, so the function waits until the wakeups have arrived.
 */
async function enqueueDue(wakeups: Wakeup[], next: string | null | undefined, context: WorkerContext): Promise<void> {
  if (next === null) await context.enqueue(wakeups);
  else await context.enqueueBeforeAck(wakeups, next);
}

/** Returns true if the turn continues, so that its slot is not free for another turn. */
function keepsSlot(data: DueStep, wakeups: Wakeup[]): boolean {
  return wakeups.some((wakeup) => wakeup.kind === 'turn' && wakeup.turnId === data.turnId);
}

/** Logs the failure of a step. A failure of the database is logged by its code alone. */
function logFailures(work: StepWorker, { log, availability }: WorkerContext): StepWorker {
  return async (step, slot) => {
    try {
      return await work(step, slot);
    } catch (error) {
      availability.suspect(error);
      const { turnId, step: due, generation } = step.data;
      const about = { event: 'job.failed', job: step.name, turn_id: turnId, step: due, generation };
      if (isTransient(error))
        log.warn({ ...about, code: error.code }, 'a step failed at the database and will be enqueued again');
      else log.error({ ...about, err: error }, 'a step failed and will be enqueued again');
      return null;
    }
  };
}
