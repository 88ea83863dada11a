import { z } from 'zod';
import { InputMessage } from '#core/turn/message.ts';
import { InputPart } from '#core/turn/request/input-part.ts';
import { TurnId } from '../../schemas/fields/id.ts';
import { Time } from '../../schemas/fields/time.ts';
import { listOf } from '../../schemas/page.ts';
import { AdoptedCalls, Round } from '../../turns/schemas/round.ts';

const { role } = InputMessage.shape;
const parts = z.array(InputPart);
const text = z.string().describe('The text.');
const name = z.string().describe('The name of the tool.');
const callId = z.string().describe('The id of the call.');
const args = z.record(z.string(), z.unknown()).describe('The arguments.');

const CompactMessage = z
  .object({
    role,
    content: z
      .union([z.string(), parts])
      .nullable()
      .describe('The text, or the parts of a message. Null if a turn ended without a text.'),
    turn_id: TurnId,
    created_at: Time,
    adopted_calls: AdoptedCalls.optional(),
    rounds: z.array(Round).optional().describe('The rounds with tool calls that led to an answer.'),
  })
  .meta({
    id: 'CompactMessage',
    description: 'A stored message. An answer includes the rounds that led to it.',
    examples: [
      {
        ...{ role: 'user', content: 'How is the weather in Lisbon?', turn_id: 'turn_01kagz8m4pfvbte2n5q7rys3wx' },
        created_at: '2026-11-20T10:00:00.082Z',
      },
    ],
  });

const wireParts = z
  .array(z.looseObject({ type: z.string().describe('The type, as the wire names it.') }))
  .describe('Texts, images, files and audio. The path of a blob replaces its data.');

const saidOn = z.union([z.string(), wireParts]).describe('The text, or parts.');

const written = z.string().describe('The arguments, as the model wrote them.');
const OpenAiCall = z.object({
  id: callId,
  type: z.literal('function'),
  function: z.object({ name, arguments: written }).describe('The function that is called.'),
});

/** A message in the format of OpenAI’s wire. */
export const OpenAiMessage = z
  .union([
    z.object({ role, content: saidOn }),
    z.object({
      role: z.literal('assistant'),
      tool_calls: z.array(OpenAiCall).describe('The calls that the model requests.'),
    }),
    z.object({ role: z.literal('tool'), tool_call_id: callId, content: text }),
  ])
  .meta({
    id: 'OpenAiMessage',
    description: 'A message in the format of OpenAI’s wire.',
    examples: [
      { role: 'user', content: 'How is the weather in Lisbon?' },
      { role: 'tool', tool_call_id: 'call_1', content: '{"celsius":22,"sky":"clear"}' },
    ],
  });

const AnthropicBlock = z.union([
  z.object({ type: z.literal('text'), text }),
  z.object({
    type: z.enum(['image', 'document']).describe('The type of the block.'),
    source: z.record(z.string(), z.string()).describe('The path of a blob, or a URL.'),
  }),
  z.object({ type: z.literal('tool_use'), id: callId, name, input: args }),
  z.object({
    type: z.literal('tool_result'),
    tool_use_id: callId,
    content: saidOn,
    is_error: z.literal(true).optional().describe('Whether the call failed.'),
  }),
]);

const AnthropicMessage = z
  .object({
    role: z.enum(['user', 'assistant']).describe('The role of the speaker.'),
    content: z.union([z.string(), z.array(AnthropicBlock)]).describe('Texts, calls and answers.'),
  })
  .meta({
    id: 'AnthropicMessage',
    description: 'A message in the format of Anthropic’s wire.',
    examples: [
      {
        role: 'assistant',
        content: [{ type: 'tool_use', id: 'call_1', name: 'get_weather', input: { city: 'Lisbon' } }],
      },
    ],
  });

const GeminiPart = z.union([
  z.object({ text }),
  z.object({
    inlineData: z
      .object({
        mimeType: z.string().describe('The media type.'),
        data: z.string().describe('The path of a blob, which replaces its data.'),
      })
      .describe('An image, a file or audio.'),
  }),
  z.object({
    fileData: z.object({ fileUri: z.string().describe('The URL.') }).describe('An image or a file as a URL.'),
  }),
  z.object({ functionCall: z.object({ name, args }).describe('A call.') }),
  z.object({
    functionResponse: z
      .object({ name, response: z.record(z.string(), z.unknown()).describe('The result of the call.') })
      .describe('The answer to a call.'),
  }),
]);

const GeminiContent = z
  .object({
    role: z.enum(['user', 'model', 'function']).describe('The role of the speaker.'),
    parts: z.array(GeminiPart).describe('Texts, calls and answers.'),
  })
  .meta({
    id: 'GeminiContent',
    description: 'A message in the format of Gemini’s wire.',
    examples: [{ role: 'model', parts: [{ functionCall: { name: 'get_weather', args: { city: 'Lisbon' } } }] }],
  });

const system = z.string().nullable().describe('The system prompt. Null if there is none.');

type Messages = {
  object: 'list';
  data: Record<string, unknown>[];
  has_more: boolean;
  next_cursor: string | null;
  system?: string | null | undefined;
};

/** The messages of a conversation in a `format`. The types of the wires belong to their providers. */
export const MessageList: z.ZodType<Messages> = z.union([
  listOf(CompactMessage),
  listOf(OpenAiMessage),
  listOf(AnthropicMessage).extend({ system }),
  listOf(GeminiContent).extend({ system }),
]);
