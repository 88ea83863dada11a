import { saveWithResponses } from '#core/checkpoint/background/save-with-responses.ts';
import { saveWithAnswers } from '#core/checkpoint/batches/save-with-answers.ts';
import { saveWithBlobs } from '#core/checkpoint/save-with-blobs.ts';
import type { Db } from '#core/checkpoint/tables.ts';
import { splitModel } from '#core/llm/split-model.ts';
import type { NewBlob } from '#core/turn/parts/take-inline.ts';
import type { WorkerContext } from '../../context.ts';
import type { Run } from '../../lease/run.ts';

/** How a run saves its round: in one commit with the use of its responses or answers (R41), and with its blobs. */
export type SavingContext = WorkerContext & {
  saveUsed: <Saved>(save: (db: Db) => Promise<Saved | null>) => Promise<Saved | null>;
  isBehind: boolean;
};

/** Returns the context in which a run saves its round, with the blobs of its images. */
export function savingContext(
  { turn, responses, isBehind }: Run,
  blobs: readonly NewBlob[],
  context: WorkerContext,
): SavingContext {
  const awaited = responses?.awaited();
  const { provider } = splitModel(turn.work.model);
  const referred = { project: turn.project, turnId: turn.id, hashes: blobs.map(({ sha256 }) => sha256), blobs };
  const saveUsed: SavingContext['saveUsed'] = (save) => {
    const saveAll = blobs.length > 0 ? (db: Db) => saveWithBlobs(db, referred, save) : save;
    if (!awaited) return saveAll(context.db);
    const { responses: ids, isBatch } = awaited;
    return isBatch
      ? saveWithAnswers(context.db, ids, saveAll)
      : saveWithResponses(context.db, { provider, ids }, saveAll);
  };
  return { ...context, saveUsed, isBehind };
}
