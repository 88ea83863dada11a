import type { LateAnswer } from '#core/checkpoint/batches/save-answers.ts';
import type { WorkerContext } from '../context.ts';

/** Counts the usage of answers that no round has used in the metrics. Their rows of usage are saved already. */
export function countLate(late: readonly LateAnswer[], { metrics, log }: WorkerContext): void {
  for (const { turnId, project, model, usage } of late) {
    // A failed result has no usage, and its round has tried again.
    if (!usage) continue;
    metrics.tokensUsed(project, model, usage);
    log.info({ event: 'answer.late', turn_id: turnId, model }, 'no round waits for an answer of a batch any more');
  }
}
