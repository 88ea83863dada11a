import { readAnswers } from '#core/checkpoint/batches/read-answers.ts';
import type { WorkerContext } from '../../context.ts';
import type { Run } from '../../lease/run.ts';

/** Returns whether all requests of a round by batch have their answers. Such a round does not leave its tier. */
export async function isAnswered({ responses }: Run, { db }: Pick<WorkerContext, 'db'>): Promise<boolean> {
  const awaited = responses?.awaited();
  if (!awaited?.isBatch) return false;
  return (await readAnswers(db, awaited.responses)).every((answer) => answer !== null);
}
