import { z } from 'zod';

const ToolName = z.string().regex(/^[a-zA-Z0-9_-]{1,128}$/);
const WireId = z.string().regex(/^[a-zA-Z0-9_-]+$/);
const READ = ['text', 'tool_use', 'tool_result'];

const Text = z.looseObject({ type: z.literal('text'), text: z.string().min(1) });
const ToolUse = z.looseObject({
  type: z.literal('tool_use'),
  id: WireId,
  name: ToolName,
  input: z.record(z.string(), z.unknown()),
});
const ToolResult = z.looseObject({
  type: z.literal('tool_result'),
  tool_use_id: WireId,
  content: z.union([z.string(), z.array(z.looseObject({ type: z.string(), text: z.string().optional() }))]).optional(),
  is_error: z.boolean().optional(),
});
const Other = z.looseObject({ type: z.string().refine((type) => !READ.includes(type)) });

const Message = z.strictObject({
  role: z.enum(['user', 'assistant']),
  content: z.union([z.string().min(1), z.array(z.union([Text, ToolUse, ToolResult, Other])).min(1)]),
});
export type Message = z.output<typeof Message>;

const FunctionTool = z.looseObject({
  type: z.literal('custom').optional(),
  name: ToolName,
  input_schema: z.looseObject({ type: z.literal('object') }),
});
const ServerTool = z.looseObject({ type: z.string().refine((type) => type !== 'custom'), name: z.string() });

const isOneAtATime = { disable_parallel_tool_use: z.boolean().optional() };
const ToolChoice = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal(['auto', 'any']), ...isOneAtATime }),
  z.strictObject({ type: z.literal('tool'), name: ToolName, ...isOneAtATime }),
  z.strictObject({ type: z.literal('none') }),
]);

/** `POST /v1/messages`. Other fields are rejected, as Anthropic does. */
export const MessagesRequest = z.strictObject({
  model: z.string().min(1),
  max_tokens: z.int().min(1),
  messages: z.array(Message).min(1),
  system: z.union([z.string(), z.array(Text)]).optional(),
  tools: z.array(z.union([FunctionTool, ServerTool])).optional(),
  tool_choice: ToolChoice.optional(),
  output_config: z
    .looseObject({
      format: z.looseObject({ type: z.literal('json_schema'), schema: z.record(z.string(), z.unknown()) }).optional(),
    })
    .optional(),
  stream: z.boolean().optional(),
  service_tier: z.enum(['auto', 'standard_only']).optional(),
  temperature: z.number().min(0).max(1).optional(),
  top_p: z.number().min(0).max(1).optional(),
  top_k: z.int().min(0).optional(),
  stop_sequences: z.array(z.string()).optional(),
  thinking: z.looseObject({ type: z.string() }).optional(),
  metadata: z.looseObject({}).optional(),
  container: z.unknown().optional(),
  context_management: z.unknown().optional(),
  cache_control: z.unknown().optional(),
  inference_geo: z.string().optional(),
  mcp_servers: z.array(z.unknown()).optional(),
});
export type MessagesRequest = z.output<typeof MessagesRequest>;
