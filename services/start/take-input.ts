import type { Db } from '#core/checkpoint/tables.ts';
import { RequestRefused } from '#core/failure.ts';
import { unsupportedParts } from '#core/llm/parts/unsupported-parts.ts';
import { splitModel } from '#core/llm/split-model.ts';
import type { InputItem } from '#core/turn/request/item.ts';
import type { TurnConfig, TurnRequest } from '#core/turn/request/turn.ts';
import type { Parts } from '../process/parts.ts';
import { type TakenInput, takeParts } from './take-parts.ts';

type Given = { project: string; config: Pick<TurnConfig, 'model' | 'fallback_models'>; input: TurnRequest['input'] };

/** The input of a turn request as rows have it, checked against what the providers of its model and its fallbacks take. */
export async function takeInput(
  { db, providers }: Pick<Parts, 'providers'> & { db: Db },
  { project, config, input }: Given,
): Promise<TakenInput> {
  if (typeof input === 'string') return { input: [{ role: 'user', content: input }], hashes: [], blobs: [] };
  const taken = await takeParts(db, { project, input, wire: wireOf(providers, config.model) });
  checkFallbacks(providers, config, taken.input);
  return taken;
}

/** Refuses a model, or a fallback, that cannot take an input that is there already. */
export function checkKnownInput(
  { providers }: Pick<Parts, 'providers'>,
  { config, input }: { config: Given['config']; input: readonly InputItem[] },
): void {
  checkModel(providers, { model: config.model, param: 'model' }, input);
  checkFallbacks(providers, config, input);
}

type Providers = Parts['providers'];

function checkFallbacks(
  providers: Providers,
  { fallback_models: fallbacks = [] }: Given['config'],
  input: readonly InputItem[],
): void {
  for (const [index, model] of fallbacks.entries())
    checkModel(providers, { model, param: `fallback_models[${index}]` }, input);
}

function checkModel(
  providers: Providers,
  { model, param }: { model: string; param: string },
  input: readonly InputItem[],
): void {
  const problem = unsupportedParts(wireOf(providers, model), input);
  if (problem) throw new RequestRefused(400, 'unsupported_content', `Of ${model}: ${problem.message}`, param);
}

function wireOf(providers: Providers, model: string) {
  return providers.find(splitModel(model).provider).capabilities.wire;
}
