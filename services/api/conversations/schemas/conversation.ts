import { z } from 'zod';
import { fillTool } from '#core/turn/request/tool.ts';
import { presentConversation } from '#core/turn/resource/conversation.ts';
import { ConversationId, TurnId } from '../../schemas/fields/id.ts';
import { Time } from '../../schemas/fields/time.ts';
import { ResolvedTool } from '../../turns/schemas/resolved-tool.ts';
import { ListedTurn, Turn } from '../../turns/schemas/turn.ts';
import { fieldsOfConversation, Limits } from '../../turns/schemas/turn-config.ts';

const example = presentConversation(
  {
    id: 'conv_01kagz8m4pfvbte2n5q7rys3wx',
    config: { model: 'sim/demo', instructions: 'You are brief.', tools: ['get_weather'], temperature: 0.2 },
    ...{ metadata: {}, activeTurnId: null, forkedFrom: null, forkedRound: null },
    ...{ createdAt: '2026-11-20T10:00:00.082Z', expiresAt: null },
  },
  fillTool,
);

/** A conversation with its standing configuration; `turn` only in the answer to a POST with `input`, `latest_turn` only in a list. */
export const Conversation = z
  .object({
    id: ConversationId,
    object: z.literal('conversation'),
    ...fieldsOfConversation,
    model: z.string().nullable().describe('The model as `provider/model`; null where each turn names its own.'),
    fallback_models: z.array(z.string()).describe('The models that are asked where that one cannot answer.'),
    tools: z
      .array(z.union([z.string(), ResolvedTool]))
      .describe('The tools: names as they were given, definitions with the rules that hold for them.'),
    tool_choice: fieldsOfConversation.tool_choice.describe(
      'Whether the first round of a turn may, must not or must call a tool, or which.',
    ),
    limits: Limits.describe('Where each turn ends at the latest.'),
    webhook: fieldsOfConversation.webhook.describe(
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
