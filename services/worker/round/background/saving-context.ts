import { saveWithResponses } from '#core/checkpoint/background/save-with-responses.ts';
import type { Db } from '#core/checkpoint/tables.ts';
import { splitModel } from '#core/llm/split-model.ts';
import type { WorkerContext } from '../../context.ts';
import type { Run } from '../../lease/run.ts';

/** How a run saves its round: in one commit with the use of its responses (R41). */
export type SavingContext = WorkerContext & {
  saveUsed: <Saved>(save: (db: Db) => Promise<Saved | null>) => Promise<Saved | null>;
  isBehind: boolean;
};

/** Returns the context in which a run saves its round. */
export function savingContext({ turn, responses, isBehind }: Run, context: WorkerContext): SavingContext {
  const ids = responses?.awaited()?.responses;
  const { provider } = splitModel(turn.work.model);
  const saveUsed: SavingContext['saveUsed'] = (save) =>
    ids ? saveWithResponses(context.db, { provider, ids }, save) : save(context.db);
  return { ...context, saveUsed, isBehind };
}
