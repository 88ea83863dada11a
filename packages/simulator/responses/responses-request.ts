import { z } from 'zod';
import { HOSTED_TOOLS } from './hosted-tool.ts';
import { FunctionName, InputItem } from './input-item.ts';

const JsonSchema = z.record(z.string(), z.unknown());

const FunctionTool = z.strictObject({
  type: z.literal('function'),
  name: FunctionName,
  description: z.string().nullish(),
  parameters: JsonSchema.nullish(),
  strict: z.boolean().nullish(),
});

const TextFormat = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text') }),
  z.strictObject({ type: z.literal('json_object') }),
  z.strictObject({
    type: z.literal('json_schema'),
    name: FunctionName,
    schema: JsonSchema,
    description: z.string().optional(),
    strict: z.boolean().nullish(),
  }),
]);

const summary = z.enum(['auto', 'concise', 'detailed']).nullish();

/** Fields that do not change the reply of the simulator. */
const ignored = {
  max_output_tokens: z.int().min(16).nullish(),
  max_tool_calls: z.int().min(1).nullish(),
  metadata: z.record(z.string().max(64), z.string().max(512)).nullish(),
  prompt_cache_key: z.string().nullish(),
  prompt_cache_options: z
    .strictObject({
      mode: z.enum(['implicit', 'explicit']).optional(),
      ttl: z.enum(['30m', '12h']).optional(),
      prewarm: z.boolean().optional(),
      comparison_response_id: z.string().nullish(),
    })
    .optional(),
  prompt_cache_retention: z.enum(['in_memory', '24h']).nullish(),
  reasoning: z
    .strictObject({
      effort: z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']).nullish(),
      context: z.enum(['auto', 'current_turn', 'all_turns']).nullish(),
      mode: z.string().optional(),
      summary,
      generate_summary: summary,
    })
    .nullish(),
  safety_identifier: z.string().max(64).nullish(),
  service_tier: z.enum(['auto', 'default', 'flex', 'scale', 'priority', 'fast', 'ultrafast']).nullish(),
  stream_options: z.strictObject({ include_obfuscation: z.boolean().optional() }).nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_logprobs: z.int().min(0).max(20).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  truncation: z.enum(['auto', 'disabled']).nullish(),
  user: z.string().optional(),
};

/** Fields that require earlier responses or stored objects, which the simulator does not read. */
const stateful = {
  conversation: z.unknown().optional(),
  previous_response_id: z.string().nullish(),
  prompt: z.unknown().optional(),
};

/** `POST /v1/responses`. Other fields are rejected, as OpenAI does. */
export const ResponsesRequest = z.strictObject({
  ...ignored,
  ...stateful,
  model: z.string().min(1),
  input: z.union([z.string(), z.array(InputItem)]),
  background: z.boolean().nullish(),
  instructions: z.string().nullish(),
  include: z
    .array(
      z.enum([
        ...(['code_interpreter_call.outputs', 'computer_call_output.output.image_url'] as const),
        ...(['file_search_call.results', 'message.input_image.image_url', 'message.output_text.logprobs'] as const),
        ...(['reasoning.encrypted_content', 'web_search_call.action.sources', 'web_search_call.results'] as const),
      ]),
    )
    .nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  store: z.boolean().nullish(),
  stream: z.boolean().nullish(),
  text: z
    .strictObject({ format: TextFormat.optional(), verbosity: z.enum(['low', 'medium', 'high']).nullish() })
    .optional(),
  tool_choice: z
    .union([z.enum(['none', 'auto', 'required']), z.strictObject({ type: z.literal('function'), name: FunctionName })])
    .optional(),
  tools: z.array(z.discriminatedUnion('type', [FunctionTool, ...HOSTED_TOOLS])).optional(),
});
export type ResponsesRequest = z.output<typeof ResponsesRequest>;
