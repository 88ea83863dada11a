import { z } from '@hono/zod-openapi';
import { ConversationId, TurnId } from '../schemas/fields/id.ts';

/** What each field of a chunk is, and a value as an example. */
const fields = {
  messageId: { schema: TurnId, example: 'turn_01kagz8m4pfvbte2n5q7rys3wx' },
  messageMetadata: {
    schema: z.object({ turn_id: TurnId, conversation_id: ConversationId }).describe('Which turn it is.'),
    example: { turn_id: 'turn_01kagz8m4pfvbte2n5q7rys3wx', conversation_id: 'conv_01kagz8m4pfvbte2n5q7rys3wx' },
  },
  id: { schema: z.string().describe('Which part of the message: `t2` is the text of round 2.'), example: 't2' },
  delta: { schema: z.string().describe('What follows.'), example: 'Hello' },
  toolCallId: { schema: z.string().describe('The id of the call.'), example: 'call_9Qx' },
  toolName: { schema: z.string().describe('The name of the tool.'), example: 'get_weather' },
  input: {
    schema: z.unknown().describe('The arguments; as text where they are no JSON.'),
    example: { city: 'Lisbon' },
  },
  dynamic: { schema: z.literal(true), example: true },
  providerExecuted: {
    schema: z.literal(true).optional().describe('Present where Pawl runs the call.'),
    example: true,
  },
  approvalId: { schema: z.string().describe('The id of the call that a person decides about.'), example: 'call_9Qx' },
  approved: { schema: z.boolean().describe('Whether it was allowed.'), example: true },
  reason: { schema: z.string().optional().describe('Why, where that was said.'), example: 'Go ahead.' },
  output: { schema: z.string().describe('The result, as the model reads it.'), example: '18 degrees' },
  errorText: { schema: z.string().describe('What went wrong.'), example: 'provider_overloaded: openai is overloaded.' },
  finishReason: {
    schema: z
      .enum(['stop', 'length', 'content-filter', 'tool-calls', 'other'])
      .describe('`tool-calls` where calls wait for their caller, or for a person.'),
    example: 'stop',
  },
} satisfies Record<string, { schema: z.ZodType; example: unknown }>;
type Field = keyof typeof fields;

/** Every type of a chunk, what it says, and which fields it has (contract-responses R60). */
const chunks: Record<string, { says: string; has: Field[] }> = {
  start: { says: 'The message begins: always the first chunk.', has: ['messageId', 'messageMetadata'] },
  'start-step': { says: 'A round begins.', has: [] },
  'reasoning-start': { says: 'The model begins to think.', has: ['id'] },
  'reasoning-delta': { says: 'What the model thinks.', has: ['id', 'delta'] },
  'reasoning-end': { says: 'The thoughts are whole.', has: ['id'] },
  'text-start': { says: 'A text begins.', has: ['id'] },
  'text-delta': { says: 'Text, as the model writes it.', has: ['id', 'delta'] },
  'text-end': { says: 'The text is whole.', has: ['id'] },
  'tool-input-available': {
    says: 'The model asks for a call.',
    has: ['toolCallId', 'toolName', 'input', 'dynamic', 'providerExecuted'],
  },
  'tool-approval-request': { says: 'A person has to allow the call.', has: ['approvalId', 'toolCallId'] },
  'tool-approval-response': { says: 'It was decided.', has: ['approvalId', 'approved', 'reason'] },
  'tool-output-available': { says: 'The call has its result.', has: ['toolCallId', 'output'] },
  'tool-output-error': { says: 'The call has failed.', has: ['toolCallId', 'errorText'] },
  'tool-output-denied': { says: 'The call was not allowed.', has: ['toolCallId'] },
  'finish-step': { says: 'The round is whole, its calls included.', has: [] },
  finish: { says: 'The message is whole.', has: ['finishReason'] },
  error: {
    says: 'The turn has failed; or, with no `[DONE]` behind it, this stream cannot go on: ask again.',
    has: ['errorText'],
  },
  abort: { says: 'The turn was cancelled.', has: [] },
};

/** A chunk of a turn’s UI message stream. */
export const UiMessageChunk = z.discriminatedUnion('type', [...schemasOf()] as never).meta({
  id: 'UiMessageChunk',
  description: 'What a UI message stream tells: the `data` of one message. After the last one comes `[DONE]`.',
});

function schemasOf() {
  return Object.entries(chunks).map(([type, { says, has }]) => {
    const shape = Object.fromEntries(has.map((name) => [name, fields[name].schema]));
    const example = Object.fromEntries(has.map((name) => [name, fields[name].example]));
    return z
      .object({ type: z.literal(type), ...shape })
      .meta({ id: nameChunk(type), description: says, examples: [{ type, ...example }] });
  });
}

/** What the schema of a chunk is called: `text-delta` is a UiTextDeltaChunk. */
function nameChunk(type: string): string {
  return `Ui${type.replaceAll(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase())}Chunk`;
}
