import { z } from '@hono/zod-openapi';
import { ConversationId, TurnId } from '../schemas/fields/id.ts';

/** The schema of each field of a chunk, and a value as an example. */
const fields = {
  messageId: { schema: TurnId, example: 'turn_01kagz8m4pfvbte2n5q7rys3wx' },
  messageMetadata: {
    schema: z
      .object({ turn_id: TurnId, conversation_id: ConversationId })
      .describe('The ids of the turn and its conversation.'),
    example: { turn_id: 'turn_01kagz8m4pfvbte2n5q7rys3wx', conversation_id: 'conv_01kagz8m4pfvbte2n5q7rys3wx' },
  },
  id: { schema: z.string().describe('The id of the part of the message. `t2` is the text of round 2.'), example: 't2' },
  delta: { schema: z.string().describe('The next piece of the text.'), example: 'Hello' },
  toolCallId: { schema: z.string().describe('The id of the call.'), example: 'call_9Qx' },
  toolName: { schema: z.string().describe('The name of the tool.'), example: 'get_weather' },
  input: {
    schema: z.unknown().describe('The arguments, as text if they are not valid JSON.'),
    example: { city: 'Lisbon' },
  },
  dynamic: { schema: z.literal(true), example: true },
  providerExecuted: {
    schema: z.literal(true).optional().describe('Present if Pawl or the provider runs the call.'),
    example: true,
  },
  approvalId: {
    schema: z.string().describe('The id of the call that waits for a decision of a person.'),
    example: 'call_9Qx',
  },
  approved: { schema: z.boolean().describe('Whether the person allowed the call.'), example: true },
  reason: { schema: z.string().optional().describe('The reason, if the person gave a reason.'), example: 'Go ahead.' },
  output: { schema: z.string().describe('The result, as the model reads it.'), example: '18 degrees' },
  sourceId: { schema: z.string().describe('The id of the source in the message.'), example: 's1_0' },
  url: {
    schema: z.string().describe('The URL of a source, or the path of an image under this API.'),
    example: 'https://example.com',
  },
  title: { schema: z.string().describe('The title of the source, or its id.'), example: 'Example' },
  sourceTitle: { schema: z.string().optional().describe('The title of the source.'), example: 'Example' },
  mediaType: { schema: z.string().describe('The media type of the file.'), example: 'image/png' },
  errorText: {
    schema: z.string().describe('A sentence about the error.'),
    example: 'provider_overloaded: openai is overloaded.',
  },
  finishReason: {
    schema: z
      .enum(['stop', 'length', 'content-filter', 'tool-calls', 'other'])
      .describe('`tool-calls` if calls wait for their caller or for a person.'),
    example: 'stop',
  },
} satisfies Record<string, { schema: z.ZodType; example: unknown }>;
type Field = keyof typeof fields;

/** Every type of a chunk, its description, and its fields. */
const chunks: Record<string, { says: string; has: Field[] }> = {
  start: { says: 'The message begins. Always the first chunk.', has: ['messageId', 'messageMetadata'] },
  'start-step': { says: 'A round begins.', has: [] },
  'reasoning-start': { says: 'The model begins its reasoning.', has: ['id'] },
  'reasoning-delta': { says: 'A piece of the reasoning.', has: ['id', 'delta'] },
  'reasoning-end': { says: 'The reasoning is complete.', has: ['id'] },
  'text-start': { says: 'A text begins.', has: ['id'] },
  'text-delta': { says: 'A piece of text, as the model writes it.', has: ['id', 'delta'] },
  'text-end': { says: 'The text is complete.', has: ['id'] },
  'tool-input-start': {
    says: 'The provider starts a call of its own tool.',
    has: ['toolCallId', 'toolName', 'dynamic', 'providerExecuted'],
  },
  'tool-input-available': {
    says: 'The model requests a call.',
    has: ['toolCallId', 'toolName', 'input', 'dynamic', 'providerExecuted'],
  },
  'tool-approval-request': { says: 'A person must allow the call.', has: ['approvalId', 'toolCallId'] },
  'tool-approval-response': {
    says: 'A person has allowed or denied the call.',
    has: ['approvalId', 'approved', 'reason'],
  },
  'tool-output-available': { says: 'The call has its result.', has: ['toolCallId', 'output', 'providerExecuted'] },
  'tool-output-error': { says: 'The call has failed.', has: ['toolCallId', 'errorText', 'providerExecuted'] },
  'tool-output-denied': { says: 'The call was not allowed.', has: ['toolCallId'] },
  'source-url': { says: 'A source of the text on the web.', has: ['sourceId', 'url', 'sourceTitle'] },
  'source-document': { says: 'A file that the text cites.', has: ['sourceId', 'mediaType', 'title'] },
  file: { says: 'An image that the model made.', has: ['url', 'mediaType'] },
  'finish-step': { says: 'The round is complete, including its calls.', has: [] },
  finish: { says: 'The message is complete.', has: ['finishReason'] },
  error: {
    says: 'The turn has failed. If no `[DONE]` follows, only this stream ended: request the stream again.',
    has: ['errorText'],
  },
  abort: { says: 'The turn was cancelled.', has: [] },
};

/** A chunk of a turn’s UI message stream. */
export const UiMessageChunk = z.discriminatedUnion('type', [...schemasOf()] as never).meta({
  id: 'UiMessageChunk',
  description: 'A chunk of a UI message stream: the `data` of one message. `[DONE]` follows the last chunk.',
});

function schemasOf() {
  return Object.entries(chunks).map(([type, { says, has }]) => {
    const shape = Object.fromEntries(has.map((name) => [keyOf(name), fields[name].schema]));
    const example = Object.fromEntries(has.map((name) => [keyOf(name), fields[name].example]));
    return z
      .object({ type: z.literal(type), ...shape })
      .meta({ id: nameChunk(type), description: says, examples: [{ type, ...example }] });
  });
}

/** Returns the key of a field in its chunk. A source on the web may have no title. */
function keyOf(name: Field): string {
  return name === 'sourceTitle' ? 'title' : name;
}

/** Returns the name of a chunk's schema: `text-delta` is a UiTextDeltaChunk. */
function nameChunk(type: string): string {
  return `Ui${type.replaceAll(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase())}Chunk`;
}
