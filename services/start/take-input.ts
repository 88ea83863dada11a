import type { Db } from '#core/checkpoint/tables.ts';
import { RequestRefused } from '#core/failure.ts';
import { unsupportedParts } from '#core/llm/parts/unsupported-parts.ts';
import type { Capabilities } from '#core/llm/provider.ts';
import type { InputItem } from '#core/turn/request/item.ts';
import type { TurnConfig, TurnRequest } from '#core/turn/request/turn.ts';
import type { Parts } from '../process/parts.ts';
import { type TakenInput, takeParts } from './take-parts.ts';

type Given = {
  project: string;
  config: Pick<TurnConfig, 'model' | 'fallback_models' | 'wires'>;
  input: TurnRequest['input'];
};

/**
 * Returns the input of a turn request in its stored form, checked against the providers of its model and its
 * fallbacks.
 */
export async function takeInput(
  { db, providers }: Pick<Parts, 'providers'> & { db: Db },
  { project, config, input }: Given,
): Promise<TakenInput> {
  if (typeof input === 'string') return { input: [{ role: 'user', content: input }], hashes: [], blobs: [] };
  const taken = await takeParts(db, { project, input, wire: wiresOf(providers, config)(config.model) });
  checkFallbacks(providers, config, taken.input);
  return taken;
}

/** Refuses a model, or a fallback, that does not support the existing input. */
export function checkKnownInput(
  { providers }: Pick<Parts, 'providers'>,
  { config, input }: { config: Given['config']; input: readonly InputItem[] },
): void {
  const wireOf = wiresOf(providers, config);
  checkModel(wireOf, { model: config.model, param: 'model' }, input);
  checkFallbacks(providers, config, input);
}

type Providers = Parts['providers'];
type WireOf = (model: string) => Capabilities['wire'];

function wiresOf(providers: Providers, { wires }: Given['config']): WireOf {
  return (model) => providers.ofModel(model, wires).capabilities.wire;
}

function checkFallbacks(providers: Providers, config: Given['config'], input: readonly InputItem[]): void {
  for (const [index, model] of (config.fallback_models ?? []).entries())
    checkModel(wiresOf(providers, config), { model, param: `fallback_models[${index}]` }, input);
}

function checkModel(wireOf: WireOf, { model, param }: { model: string; param: string }, input: readonly InputItem[]) {
  const problem = unsupportedParts(wireOf(model), input);
  if (problem) throw new RequestRefused(400, 'unsupported_content', `For ${model}: ${problem.message}`, param);
}
