import { z } from 'zod';
import { HostedTool } from '#core/turn/hosted/hosted-tool.ts';
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

/**
 * A conversation with its default configuration. `turn` is present only in the answer to a POST with `input`, and
 * `latest_turn` only in a list.
 */
export const Conversation = z
  .object({
    id: ConversationId,
    object: z.literal('conversation'),
    agent: z.string().nullable().describe('The agent of the turns, as given. Null without an agent.'),
    variables: z
      .record(z.string(), z.string())
      .nullable()
      .describe('Texts for the variables of the instructions of each turn. Null if there are none.'),
    ...fieldsOfConversation,
    model: z.string().nullable().describe('The model as `provider/model`. Null if each turn names its own model.'),
    fallback_models: z.array(z.string()).describe('The models that Pawl asks if that model cannot answer.'),
    tools: z
      .array(z.union([z.string(), ResolvedTool, HostedTool]))
      .describe('The tools: names as given, and definitions with their rules.'),
    tool_choice: fieldsOfConversation.tool_choice.describe(
      'Whether the first round of a turn may (`auto`), must not (`none`) or must (`required`) call a tool, or ' +
        'the tool that it must call.',
    ),
    limits: Limits.describe('The limits at which each turn ends.'),
    webhook: fieldsOfConversation.webhook.describe(
      'The webhook that receives the events of each turn, in addition to the project’s webhook endpoints.',
    ),
    metadata: z
      .record(z.string(), z.string())
      .describe('Key-value pairs that the caller stores with the conversation.'),
    active_turn_id: TurnId.nullable().describe('The active turn. Null if no turn is active.'),
    forked_from: TurnId.nullable().describe(
      'For a fork: the turn that its history begins with. Null for other conversations.',
    ),
    after_round: z
      .int()
      .nullable()
      .describe(
        'For a fork: the last round of that turn in the history. Null if the history has the whole turn, ' +
          'and for other conversations.',
      ),
    created_at: Time,
    expires_in_seconds: z
      .int()
      .nullable()
      .describe('The seconds after the end of the last turn when the conversation is deleted. Null: never.'),
    expires_at: Time.nullable().describe(
      'The time when the conversation and its turns are deleted. Null if there is no such time, and ' +
        'while a turn is active.',
    ),
    turn: Turn.optional(),
    latest_turn: ListedTurn.nullable()
      .optional()
      .describe(
        'The latest turn. Null if the conversation has no turns. Present only in a list with ' +
          '`include=latest_turn`.',
      ),
  })
  .meta({
    id: 'Conversation',
    description: 'A conversation: turns that belong together, and the configuration that they inherit.',
    examples: [example],
  });
