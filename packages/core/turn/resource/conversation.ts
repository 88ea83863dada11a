import { fillLimits } from '../limits.ts';
import type { GivenTool, Tool } from '../request/tool.ts';
import type { Conversation } from '../turn.ts';
import { iso } from './iso.ts';

export type ConversationResource = ReturnType<typeof presentConversation>;

/**
 * A conversation as callers see it (contract: Conversation); what was not given shows its default. `toolAs` fills in a
 * tool's definition.
 */
export function presentConversation(
  { id, config, metadata, activeTurnId, createdAt }: Conversation,
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
    limits: fillLimits(config.limits),
    allowed_capabilities: config.allowed_capabilities ?? null,
    webhook: config.webhook ?? null,
    metadata,
    active_turn_id: activeTurnId,
    created_at: iso(createdAt),
  };
}
