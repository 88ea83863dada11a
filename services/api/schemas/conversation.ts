import { z } from 'zod';
import { fillLimits } from '#core/turn/limits.ts';
import { PromptCache, ServiceTier } from '#core/turn/request/provider/provider-fields.ts';
import { ToolChoice } from '#core/turn/request/turn.ts';
import { Webhook } from '#core/turn/request/webhook.ts';
import { ConversationId, TurnId } from './fields/id.ts';
import { ResolvedTool } from './fields/resolved-tool.ts';
import { Time } from './fields/time.ts';
import { asGiven, Limits } from './fields/turn-config.ts';
import { ListedTurn, Turn } from './turn.ts';

const example = {
  ...{ id: 'conv_01kagz8m4pfvbte2n5q7rys3wx', object: 'conversation', model: 'sim/demo' },
  fallback_models: [],
  ...{ instructions: 'You are brief.', tools: ['get_weather'], tool_choice: 'auto', tool_mode: 'native' },
  ...{ parallel_tool_calls: null, temperature: 0.2, top_p: null, reasoning_effort: null, verbosity: null, stop: null },
  ...{ seed: null, max_output_tokens: null, output_schema: null, context: null, provider_options: null },
  ...{ provider_headers: null, model_retry: null },
  ...{ prompt_cache: 'auto' as const, service_tier: null, tier_fallback: null },
  limits: fillLimits(null),
  ...{ allowed_capabilities: null, webhook: null, metadata: {}, active_turn_id: null },
  ...{ forked_from: null, after_round: null },
  ...{ created_at: '2026-11-20T10:00:00.082Z', expires_in_seconds: null, expires_at: null },
};

/** A conversation with its standing configuration; `turn` only in the answer to a POST with `input`, `latest_turn` only in a list. */
export const Conversation = z
  .object({
    id: ConversationId,
    object: z.literal('conversation'),
    model: z.string().nullable().describe('The model as `provider/model`; null where each turn names its own.'),
    fallback_models: z.array(z.string()).describe('The models that are asked where that one cannot answer.'),
    instructions: z.string().nullable().describe('The system prompt.'),
    tools: z
      .array(z.union([z.string(), ResolvedTool]))
      .describe('The tools: names as they were given, definitions with the rules that hold for them.'),
    tool_choice: ToolChoice.describe('Whether the first round of a turn may, must not or must call a tool, or which.'),
    tool_mode: z.enum(['native', 'emulated', 'inline']).describe('How the model calls tools.'),
    ...asGiven,
    prompt_cache: PromptCache.describe('How the provider’s cache is used.'),
    service_tier: ServiceTier.nullable().describe('The tier on which rounds are asked; null if none is sent.'),
    tier_fallback: z.enum(['default']).nullable().describe('The tier for rounds that lack capacity or are late.'),
    limits: Limits.describe('Where each turn ends at the latest.'),
    allowed_capabilities: z.array(z.string()).nullable().describe('What tools may need; null for everything.'),
    webhook: Webhook.nullable().describe(
      'What receives the events of each turn, besides the project’s webhook endpoints.',
    ),
    metadata: z.record(z.string(), z.string()).describe('What the caller keeps with the conversation.'),
    active_turn_id: TurnId.nullable().describe('The turn it is at; null while it is at none.'),
    forked_from: TurnId.nullable().describe('The turn that its history begins with, of a fork; null of any other.'),
    after_round: z
      .int()
      .nullable()
      .describe('Up to which round of that turn; null where all of it is history, and where it is no fork.'),
    created_at: Time,
    expires_in_seconds: z.int().nullable().describe('How long after the end of its last turn it goes; null for never.'),
    expires_at: Time.nullable().describe(
      'When it goes with all its turns; null where it does not, and while one of them is active.',
    ),
    turn: Turn.optional(),
    latest_turn: ListedTurn.nullable()
      .optional()
      .describe('The last of its turns in their order; null where it has none. Where a list is asked for it.'),
  })
  .meta({
    id: 'Conversation',
    description: 'The turns one caller keeps together, with what each of them inherits.',
    examples: [example],
  });
