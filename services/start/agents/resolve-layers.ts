import type { TurnConfig } from '#core/turn/request/turn.ts';
import { resolveConfig } from '../resolve-config.ts';
import { type Layers, type MergedConfig, mergeLayers } from './agent-layers.ts';
import { checkItems } from './check-items.ts';

type Rules = Parameters<typeof resolveConfig>[1] & Parameters<typeof mergeLayers>[1];

/**
 * Merges the fields of a request, its agent and its conversation, and resolves the result like the fields of one
 * request.
 */
export async function resolveLayers(layers: Layers, rules: Rules): Promise<TurnConfig> {
  const merged = await mergeLayers(layers, rules);
  if (rules.allowedAgents) checkItems(rules.input, 'input');
  return withAgent(await resolveConfig(merged.config, rules), merged);
}

/** Adds the agent and the variables to a configuration. */
export function withAgent(config: TurnConfig, { agent, variables }: Omit<MergedConfig, 'config'>): TurnConfig {
  return { ...config, ...(agent && { agent }), ...(variables && { variables }) };
}
