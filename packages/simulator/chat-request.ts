import { z } from 'zod';

const ToolCall = z.looseObject({
  id: z.string().min(1),
  type: z.literal('function').optional(),
  function: z.looseObject({ name: z.string().min(1), arguments: z.string() }),
});

const ChatMessage = z.looseObject({
  role: z.enum(['system', 'developer', 'user', 'assistant', 'tool']),
  content: z.union([z.string(), z.array(z.looseObject({ type: z.string(), text: z.string().optional() }))]).nullish(),
  tool_calls: z.array(ToolCall).nullish(),
  tool_call_id: z.string().nullish(),
});
export type ChatMessage = z.output<typeof ChatMessage>;

const OfferedTool = z.looseObject({
  type: z.literal('function'),
  function: z.looseObject({
    name: z.string().min(1),
    parameters: z.record(z.string(), z.unknown()).nullish(),
  }),
});
export type OfferedTool = z.output<typeof OfferedTool>;

const ToolChoice = z.union([
  z.enum(['none', 'auto', 'required']),
  z.looseObject({ type: z.literal('function'), function: z.looseObject({ name: z.string() }) }),
]);

const ResponseFormat = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('text') }),
  z.looseObject({ type: z.literal('json_object') }),
  z.looseObject({
    type: z.literal('json_schema'),
    json_schema: z.looseObject({ name: z.string().min(1), schema: z.record(z.string(), z.unknown()).nullish() }),
  }),
]);
export type ResponseFormat = z.output<typeof ResponseFormat>;

/** `POST /v1/chat/completions`, as far as the simulator reads it. Keeps every other field for `onRequest`. */
export const ChatRequest = z.looseObject({
  model: z.string().min(1),
  messages: z.array(ChatMessage).min(1),
  tools: z.array(OfferedTool).nullish(),
  tool_choice: ToolChoice.nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  response_format: ResponseFormat.nullish(),
  service_tier: z.string().nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
});
/** `hostedTools` are the tools of a Responses request that the server runs, by their names in scripts. */
export type ChatRequest = z.output<typeof ChatRequest> & { hostedTools?: string[] };

/** Returns the joined text parts of a message, or '' if it has none. */
export function textOf({ content }: ChatMessage): string {
  if (typeof content === 'string') return content;
  return (content ?? []).map((part) => part.text ?? '').join('');
}

/** A request, with its length, the round that it names, and the number of earlier attempts of that round. */
export type ChatAttempt = { body: ChatRequest; bodyLength: number; round: number; earlierAttempts: number };
