import type { Conversation } from './conversation.ts';
import { iso } from './present-turn.ts';
import type { GivenTool, Tool } from './tool.ts';
import type { TurnConfig } from './turn-request.ts';

export type ConversationResource = ReturnType<typeof presentConversation>;

const LIMITS: TurnConfig['limits'] = {
  max_rounds: 50,
  max_tool_calls: 200,
  max_total_tokens: null,
  deadline_seconds: null,
};

/**
 * A conversation as callers see it (contract: Conversation); what was not given shows its default. `toolAs` tells what
 * holds of a tool that was defined.
 */
export function presentConversation(
  { id, config, metadata, activeTurnId, createdAt }: Conversation,
  toolAs: (given: GivenTool) => Tool,
) {
  return {
    id,
    object: 'conversation' as const,
    model: config.model ?? null,
    instructions: config.instructions ?? null,
    tools: (config.tools ?? []).map((tool) => (typeof tool === 'string' ? tool : toolAs(tool))),
    tool_choice: config.tool_choice ?? 'auto',
    tool_mode: config.tool_mode ?? 'native',
    limits: { ...LIMITS, ...given(config.limits) },
    allowed_capabilities: config.allowed_capabilities ?? null,
    webhook: config.webhook ?? null,
    metadata,
    active_turn_id: activeTurnId,
    created_at: iso(createdAt),
  };
}

function given(limits: Conversation['config']['limits']): Partial<TurnConfig['limits']> {
  return Object.fromEntries(Object.entries(limits ?? {}).filter(([, value]) => value !== null && value !== undefined));
}
