import { RequestRefused } from '#core/failure.ts';
import { unsupportedParts } from '#core/llm/parts/unsupported-parts.ts';
import { splitModel } from '#core/llm/split-model.ts';
import type { TurnConfig, TurnRequest } from '#core/turn/request/turn.ts';
import type { ApiContext } from '../context.ts';
import { type TakenInput, takeParts } from './take-parts.ts';

type Given = { project: string; config: Pick<TurnConfig, 'model' | 'fallback_models'>; input: TurnRequest['input'] };

/** The input of a turn request as rows have it, checked against what the providers of its model and its fallbacks take. */
export async function takeInput(
  { db, providers }: Pick<ApiContext, 'db' | 'providers'>,
  { project, config, input }: Given,
): Promise<TakenInput> {
  if (typeof input === 'string') return { input: [{ role: 'user', content: input }], hashes: [], blobs: [] };
  const wireOf = (model: string) => providers.find(splitModel(model).provider).capabilities.wire;
  const taken = await takeParts(db, { project, input, wire: wireOf(config.model) });
  for (const [index, fallback] of (config.fallback_models ?? []).entries()) {
    const problem = unsupportedParts(wireOf(fallback), taken.input);
    if (!problem) continue;
    const message = `Of ${fallback}: ${problem.message}`;
    throw new RequestRefused(400, 'unsupported_content', message, `fallback_models[${index}]`);
  }
  return taken;
}
