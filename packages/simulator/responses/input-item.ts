import { z } from 'zod';

/** The name of a function, in a declaration and in a call. */
export const FunctionName = z.string().regex(/^[\w-]{1,64}$/, 'It must have 1 to 64 letters, digits, "_" or "-"');
const callId = z.string().min(1).max(64);
const status = z.enum(['in_progress', 'completed', 'incomplete']).nullish();
const cacheBreakpoint = z.strictObject({ mode: z.literal('explicit') }).optional();

const InputPart = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('input_text'), text: z.string(), prompt_cache_breakpoint: cacheBreakpoint }),
  z.strictObject({
    type: z.literal('input_image'),
    detail: z.enum(['low', 'high', 'auto', 'original']).optional(),
    file_id: z.string().nullish(),
    image_url: z.string().nullish(),
    prompt_cache_breakpoint: cacheBreakpoint,
  }),
  z.strictObject({
    type: z.literal('input_file'),
    detail: z.enum(['auto', 'low', 'high']).optional(),
    file_data: z.string().optional(),
    file_id: z.string().nullish(),
    file_url: z.string().optional(),
    filename: z.string().optional(),
    prompt_cache_breakpoint: cacheBreakpoint,
  }),
]);

const OutputPart = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('output_text'),
    text: z.string(),
    annotations: z.array(z.json()).optional(),
    logprobs: z.array(z.json()).optional(),
  }),
  z.strictObject({ type: z.literal('refusal'), refusal: z.string() }),
]);

const message = { type: z.literal('message'), id: z.string().startsWith('msg_').optional(), status };
const InputMessage = z.strictObject({ ...message, content: z.union([z.string(), z.array(InputPart)]) });

const Message = z.discriminatedUnion('role', [
  InputMessage.extend({ role: z.literal(['system', 'developer', 'user']) }),
  z.strictObject({
    ...message,
    role: z.literal('assistant'),
    content: z.union([z.string(), z.array(OutputPart)]),
    phase: z.enum(['commentary', 'final_answer']).nullish(),
  }),
]);

const anyFields = z.record(z.string(), z.json());
const hosted = <Status extends string>(prefix: string, ...other: Status[]) => ({
  id: z.string().startsWith(`${prefix}_`),
  status: z.enum(['in_progress', 'completed', 'failed', ...other]),
});

/** Items of hosted calls. Their id and status are required. */
const HostedItems = [
  z.strictObject({
    ...{ type: z.literal('web_search_call'), ...hosted('ws', 'searching', 'incomplete') },
    action: z.looseObject({ type: z.enum(['search', 'open_page', 'find_in_page']) }),
    results: z.json().optional(),
  }),
  z.strictObject({
    ...{ type: z.literal('code_interpreter_call'), ...hosted('ci', 'interpreting', 'incomplete') },
    code: z.string().nullable(),
    container_id: z.string().startsWith('cntr_'),
    outputs: z
      .array(
        z.discriminatedUnion('type', [
          z.strictObject({ type: z.literal('logs'), logs: z.string() }),
          z.strictObject({ type: z.literal('image'), url: z.string().min(1) }),
        ]),
      )
      .nullable(),
  }),
  z.strictObject({
    ...{ type: z.literal('file_search_call'), ...hosted('fs', 'searching', 'incomplete') },
    queries: z.array(z.string()),
    results: z.array(anyFields).nullish(),
  }),
  z.strictObject({
    ...{ type: z.literal('image_generation_call'), ...hosted('ig', 'generating') },
    result: z.base64().min(1).nullable(),
    ...{ action: z.string().nullish(), background: z.string().nullish(), error: anyFields.optional() },
    ...{ output_format: z.string().nullish(), quality: z.string().nullish(), size: z.string().nullish() },
    ...{ revised_prompt: z.string().nullish(), svg_usage: anyFields.optional() },
  }),
] as const;

const Item = z.discriminatedUnion('type', [
  Message,
  z.strictObject({
    type: z.literal('function_call'),
    id: z.string().startsWith('fc_').optional(),
    call_id: callId,
    name: FunctionName,
    arguments: z.string(),
    status,
  }),
  z.strictObject({
    type: z.literal('function_call_output'),
    id: z.string().startsWith('fc_').nullish(),
    call_id: callId,
    output: z.union([z.string(), z.array(InputPart)]),
    status,
  }),
  z.strictObject({
    type: z.literal('reasoning'),
    id: z.string().startsWith('rs_').optional(),
    summary: z.array(z.strictObject({ type: z.literal('summary_text'), text: z.string() })),
    content: z.array(z.strictObject({ type: z.literal('reasoning_text'), text: z.string() })).optional(),
    encrypted_content: z.string().nullish(),
    status,
  }),
  ...HostedItems,
  z.strictObject({ type: z.literal('item_reference'), id: z.string() }),
]);

/** An item of the input of a Responses request. A message may omit its type. */
export const InputItem = z.preprocess((item) => (hasRoleOnly(item) ? { type: 'message', ...item } : item), Item);
export type InputItem = z.output<typeof InputItem>;

function hasRoleOnly(item: unknown): item is object {
  return typeof item === 'object' && item !== null && 'role' in item && !('type' in item);
}
