import { splitModel } from '#core/llm/split-model.ts';
import type { TurnConfig, TurnRequest } from '#core/turn/request/turn.ts';
import type { ApiContext } from '../context.ts';
import { type TakenInput, takeParts } from './take-parts.ts';

type Given = { project: string; config: Pick<TurnConfig, 'model'>; input: TurnRequest['input'] };

/** The input of a turn request as rows have it, checked against what its provider takes. */
export async function takeInput(
  { db, providers }: Pick<ApiContext, 'db' | 'providers'>,
  { project, config, input }: Given,
): Promise<TakenInput> {
  if (typeof input === 'string') return { input: [{ role: 'user', content: input }], hashes: [], blobs: [] };
  const { wire } = providers.find(splitModel(config.model).provider).capabilities;
  return takeParts(db, { project, input, wire });
}
