import type { Turn } from '#core/turn/turn.ts';
import type { WorkerContext } from '../context.ts';

/** Reports that a run is on the step that its turn has waited with; answers how long that was, in milliseconds. */
export function reportBegin({ project, work }: Turn, { metrics }: Pick<WorkerContext, 'metrics'>): number {
  const waitedMs = Math.max(0, Date.now() - Date.parse(work.waitingSince));
  metrics.stepBegun(project, waitedMs);
  return waitedMs;
}
