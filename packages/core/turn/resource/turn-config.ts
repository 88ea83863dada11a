import type { TurnTool } from '../request/tool.ts';
import type { TurnConfig } from '../request/turn.ts';

/**
 * What a turn ran with, by the names of its request: every default filled in, every tool resolved. The value of a secret is
 * in no row, so `${secret:name}` stands here as it was written.
 */
export function presentTurnConfig(config: TurnConfig) {
  const { temperature, top_p = null, reasoning_effort = null, verbosity = null, stop = null, seed = null } = config;
  return {
    model: config.model,
    fallback_models: config.fallback_models ?? [],
    instructions: config.instructions,
    tools: config.tools.map(presentTool),
    tool_choice: config.tool_choice,
    tool_mode: config.tool_mode,
    parallel_tool_calls: config.parallel_tool_calls,
    sampling: { temperature, top_p, reasoning_effort, verbosity, stop, seed },
    max_output_tokens: config.max_output_tokens,
    output_schema: config.output_schema ? presentSchema(config.output_schema) : null,
    prompt_cache: config.prompt_cache ?? 'auto',
    service_tier: config.service_tier ?? null,
    tier_fallback: config.tier_fallback ?? null,
    wires: config.wires ?? {},
    limits: config.limits,
    context: config.context ?? null,
    allowed_capabilities: config.allowed_capabilities,
    provider_options: config.provider_options,
    provider_headers: config.provider_headers ?? {},
    model_retry: config.model_retry ?? null,
    webhook: config.webhook && { ...config.webhook, events: config.webhook.events.map(String) },
  };
}

/** The definition that the model saw and the rules that held; what only Pawl keeps with it is left out. */
export function presentTool({ operator: _, handOver: __, strict: ___, remoteName: ____, ...tool }: TurnTool) {
  return tool;
}

/** With the mode of the turn's own model: how its fallbacks are told the schema is seen in what a round was sent. */
function presentSchema({ name, schema, strict, mode }: NonNullable<TurnConfig['output_schema']>) {
  return { name, schema, strict, mode };
}
