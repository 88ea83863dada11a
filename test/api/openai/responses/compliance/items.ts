import type OpenAI from 'openai';
import { z } from 'zod';
import { Annotation, hostedItems } from './hosted-items.ts';
import { itemId, taken } from './taken.ts';

type Items = OpenAI.Responses.ResponseOutputItem;
type ItemOf<Type extends Items['type']> = Extract<Items, { type: Type }>;

const none = z.array(z.never()).max(0);

export const OutputText = taken<OpenAI.Responses.ResponseOutputText>()(
  z.strictObject({
    type: z.literal('output_text'),
    text: z.string(),
    annotations: z.array(Annotation),
    logprobs: none,
  }),
);
export const Refusal = taken<OpenAI.Responses.ResponseOutputRefusal>()(
  z.strictObject({ type: z.literal('refusal'), refusal: z.string() }),
);
export const SummaryText = taken<OpenAI.Responses.ResponseReasoningItem.Summary>()(
  z.strictObject({ type: z.literal('summary_text'), text: z.string() }),
);

const Message = taken<ItemOf<'message'>>()(
  z.strictObject({
    id: itemId('msg'),
    type: z.literal('message'),
    role: z.literal('assistant'),
    status: z.enum(['in_progress', 'completed', 'incomplete']),
    content: z.array(z.discriminatedUnion('type', [OutputText, Refusal])),
  }),
);

const Reasoning = taken<ItemOf<'reasoning'>>()(
  z.strictObject({
    ...{ id: itemId('rs'), type: z.literal('reasoning'), summary: z.array(SummaryText) },
    encrypted_content: z.string().exactOptional(),
  }),
);

const call = { call_id: z.string().min(1), name: z.string().min(1), status: z.enum(['in_progress', 'completed']) };

const FunctionCall = taken<ItemOf<'function_call'>>()(
  z.strictObject({ id: itemId('fc'), type: z.literal('function_call'), ...call, arguments: z.string() }),
);

const CustomToolCall = taken<ItemOf<'custom_tool_call'>>()(
  z.strictObject({ id: itemId('ctc'), type: z.literal('custom_tool_call'), ...call, input: z.string() }),
);

const McpCall = taken<ItemOf<'mcp_call'>>()(
  z.strictObject({
    id: itemId('mcp'),
    type: z.literal('mcp_call'),
    ...{ server_label: z.string().min(1), name: z.string().min(1), arguments: z.string() },
    output: z.string().nullable(),
    error: z
      .strictObject({
        type: z.literal('mcp_tool_execution_error'),
        content: z.array(z.strictObject({ type: z.literal('text'), text: z.string() })),
      })
      .nullable(),
    status: z.enum(['in_progress', 'completed', 'failed']),
    approval_request_id: z.null(),
  }),
);

/** Returns the pattern of ids of input items, which end with their index in the input. */
const inputId = (prefix: string) => z.string().regex(new RegExp(`^${prefix}_[0-9a-z]{26}_i\\d+$`));

const InputText = z.strictObject({ type: z.literal('input_text'), text: z.string() });
const InputImage = z.strictObject({
  ...{ type: z.literal('input_image'), image_url: z.string() },
  detail: z.enum(['auto', 'low', 'high', 'original']),
});

/** A message of the user in a compacted history. */
export const UserMessage = z.strictObject({
  ...{ id: inputId('msg'), type: z.literal('message'), role: z.literal('user'), status: z.literal('completed') },
  content: z.array(z.discriminatedUnion('type', [InputText, InputImage])),
});

/** The summary of a compacted history. */
export const Compaction = taken<ItemOf<'compaction'>>()(
  z.strictObject({ id: itemId('cmp'), type: z.literal('compaction'), encrypted_content: z.string().min(1) }),
);

/** An item of an output, with exactly these fields. */
export const Item = z.discriminatedUnion('type', [
  Message,
  Reasoning,
  FunctionCall,
  CustomToolCall,
  McpCall,
  ...hostedItems,
]);
export type Item = z.output<typeof Item>;
