import { z } from 'zod';
import { ReasoningEffort, ToolChoice, Verbosity } from '#core/turn/config/tool-choice.ts';
import { OpenAiMessage } from '../../../conversations/schemas/message-list.ts';
import { TurnId } from '../../../schemas/fields/id.ts';
import { orNull } from '../../../schemas/fields/or-null.ts';

const schema = z.record(z.string(), z.unknown());

const SentTool = z.object({
  name: z.string().describe('The name of the tool.'),
  description: z.string().describe('What it does, as the model reads it.'),
  parameters: schema.describe('The JSON schema of its arguments.'),
});

type Sent = {
  object: 'sent_round';
  turn_id: string;
  round: number;
  model: string;
  instructions: string | null;
  messages: Record<string, unknown>[];
  has_more: boolean;
  next_cursor: string | null;
  tools: z.output<typeof SentTool>[];
  tool_choice: z.output<typeof ToolChoice>;
  parallel_tool_calls: boolean | null;
  temperature: number | null;
  top_p: number | null;
  reasoning_effort: z.output<typeof ReasoningEffort> | null;
  verbosity: z.output<typeof Verbosity> | null;
  stop: string[] | null;
  seed: number | null;
  text_format: Record<string, unknown> | null;
  max_output_tokens: number | null;
  provider_options: Record<string, unknown>;
};

/** What a model was sent for one round. */
export const SentRound: z.ZodType<Sent> = z
  .object({
    object: z.literal('sent_round'),
    turn_id: TurnId,
    round: z.int().min(1).describe('The number of the round, from 1.'),
    model: z.string().describe('The model that was asked, as provider/model.'),
    instructions: z.string().nullable().describe('The system prompt, with the output schema where it stands there.'),
    messages: z
      .array(OpenAiMessage)
      .describe('The history and the turn’s own messages, a summary in place of what was compacted.'),
    has_more: z.boolean().describe('Whether more messages follow.'),
    next_cursor: z.string().nullable().describe('The `cursor` of the next page; null on the last page.'),
    tools: z.array(SentTool).describe('The tools in the request.'),
    tool_choice: ToolChoice.describe(
      'Whether it may, must or must not call one: `none` in a final round, and in a repair.',
    ),
    parallel_tool_calls: z.boolean().nullable().describe('Whether it may ask for several calls at once.'),
    temperature: z.number().nullable().describe('The temperature; null leaves it to the provider.'),
    top_p: z.number().nullable().describe('The same for `top_p`.'),
    reasoning_effort: orNull(ReasoningEffort).describe('How much it should think.'),
    verbosity: orNull(Verbosity).describe('How long its answer should be.'),
    stop: z.array(z.string()).nullable().describe('Texts at which it stops.'),
    seed: z.int().nullable().describe('The seed.'),
    text_format: schema.nullable().describe('What its text has to be, where the wire says so.'),
    max_output_tokens: z.int().nullable().describe('Tokens that it may write at most.'),
    provider_options: schema.describe('Fields that were added to the request as they are.'),
  })
  .meta({
    id: 'SentRound',
    description: 'What a model was sent for one round, in the words of Pawl; the messages as OpenAI’s wire has them.',
    examples: [
      {
        ...{ object: 'sent_round', turn_id: 'turn_01kagz8m4pfvbte2n5q7rys3wx', round: 1, model: 'openai/gpt-4.1' },
        ...{ instructions: 'You are brief.', messages: [{ role: 'user', content: 'Hi' }] },
        ...{ has_more: false, next_cursor: null, tools: [] },
        ...{ tool_choice: 'auto', parallel_tool_calls: null, temperature: null, top_p: null, reasoning_effort: null },
        ...{
          verbosity: null,
          stop: null,
          seed: null,
          text_format: null,
          max_output_tokens: null,
          provider_options: {},
        },
      },
    ],
  });
