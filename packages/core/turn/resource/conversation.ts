import { fillLimits } from '../limits.ts';
import type { GivenTool, Tool } from '../request/tool.ts';
import type { StandingConfig } from '../request/turn.ts';
import type { Conversation } from '../turn.ts';
import { iso } from './iso.ts';

export type ConversationResource = ReturnType<typeof presentConversation>;

/**
 * A conversation as callers see it (contract: Conversation); what was not given shows its default. `toolAs` fills in a
 * tool's definition.
 */
export function presentConversation(
  { id, config, metadata, activeTurnId, forkedFrom, forkedRound, createdAt, expiresAt }: Conversation,
  toolAs: (given: GivenTool) => Tool,
) {
  return {
    id,
    object: 'conversation' as const,
    model: config.model ?? null,
    fallback_models: config.fallback_models ?? [],
    instructions: config.instructions ?? null,
    tools: (config.tools ?? []).map((tool) => (typeof tool === 'string' ? tool : toolAs(tool))),
    tool_choice: config.tool_choice ?? 'auto',
    tool_mode: config.tool_mode ?? 'native',
    ...passedOn(config),
    prompt_cache: config.prompt_cache ?? 'auto',
    service_tier: config.service_tier ?? null,
    tier_fallback: config.tier_fallback ?? null,
    limits: fillLimits(config.limits),
    allowed_capabilities: config.allowed_capabilities ?? null,
    webhook: config.webhook ?? null,
    metadata,
    active_turn_id: activeTurnId,
    forked_from: forkedFrom,
    after_round: forkedRound && Math.max(0, forkedRound),
    created_at: iso(createdAt),
    expires_in_seconds: config.expires_in_seconds ?? null,
    expires_at: expiresAt && iso(expiresAt),
  };
}

/** What is passed on to the model, or shapes what it is sent and its answer; null where it was not given. */
function passedOn({
  parallel_tool_calls = null,
  temperature = null,
  top_p = null,
  reasoning_effort = null,
  verbosity = null,
  stop = null,
  seed = null,
  max_output_tokens = null,
  output_schema = null,
  context = null,
  provider_options = null,
  provider_headers = null,
  model_retry = null,
}: StandingConfig) {
  const sampling = { parallel_tool_calls, temperature, top_p, reasoning_effort, verbosity, stop, seed };
  return { ...sampling, max_output_tokens, output_schema, context, provider_options, provider_headers, model_retry };
}
