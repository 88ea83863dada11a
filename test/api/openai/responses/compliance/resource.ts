import type OpenAI from 'openai';
import { z } from 'zod';
import { Compaction, Item, UserMessage } from './items.ts';
import { taken } from './taken.ts';

type Theirs = OpenAI.Responses.Response;

const count = z.int().min(0);
const limit = z.int().min(1).nullable();
const text = z.string().nullable();
const reason = z.enum(['max_output_tokens', 'content_filter']);

const FunctionTool = taken<OpenAI.Responses.FunctionTool>()(
  z.looseObject({
    type: z.literal('function'),
    name: z.string(),
    description: text,
    parameters: z.record(z.string(), z.unknown()).nullable(),
    strict: z.boolean().nullable(),
  }),
);
const CustomTool = z.looseObject({ type: z.literal('custom'), name: z.string() });

/** The client's type allows neither null for an absent server description nor `undefined` for filters. */
type Labelled = Omit<OpenAI.Responses.Tool.Mcp, 'server_description' | 'allowed_tools' | 'require_approval'>;

const names = z.array(z.string());
const filter = z.strictObject({ tool_names: names.optional(), read_only: z.boolean().optional() });
const McpTool = taken<Labelled>()(
  z.strictObject({
    ...{ type: z.literal('mcp'), server_label: z.string(), server_description: text },
    allowed_tools: z.union([names, filter]).nullable(),
    allowed_callers: z.array(z.literal('direct')).nullable(),
    require_approval: z
      .union([z.enum(['always', 'never']), z.strictObject({ always: filter.optional(), never: filter.optional() })])
      .nullable(),
    ...{ defer_loading: z.boolean(), headers: z.null() },
  }),
);

const Format = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text') }),
  z.strictObject({ type: z.literal('json_object') }),
  z.strictObject({
    ...{ type: z.literal('json_schema'), name: z.string(), description: text },
    ...{ schema: z.record(z.string(), z.unknown()), strict: z.boolean() },
  }),
]);

const ToolChoice = z.union([
  z.enum(['auto', 'none', 'required']),
  z.strictObject({ type: z.enum(['function', 'custom']), name: z.string() }),
  z.strictObject({ type: z.literal('mcp'), server_label: z.string(), name: z.string().optional() }),
  z.strictObject({
    ...{ type: z.literal('allowed_tools'), mode: z.enum(['auto', 'required']) },
    tools: z.array(z.looseObject({ type: z.string() })),
  }),
]);

/** Fields without a value are absent in the client's type, and `null` in Open Responses. */
type Nullable = 'usage' | 'user' | 'text' | 'tools';
/** `output_text`, which the client creates, `access_programs`, which Pawl never sends, and nullable fields. */
type Own = 'output_text' | 'access_programs' | Nullable;

/** The usage of a response. No provider here reports how much it wrote to its cache. */
const Usage = taken<OpenAI.Responses.ResponseUsage>()(
  z.strictObject({
    ...{ input_tokens: count, output_tokens: count, total_tokens: count },
    input_tokens_details: z.strictObject({ cached_tokens: count, cache_write_tokens: count }),
    output_tokens_details: z.strictObject({ reasoning_tokens: count }),
  }),
);

const echoed = {
  model: z.string(),
  previous_response_id: text,
  instructions: text,
  tools: z.array(z.discriminatedUnion('type', [FunctionTool, CustomTool, McpTool])),
  tool_choice: ToolChoice,
  truncation: z.enum(['auto', 'disabled']),
  parallel_tool_calls: z.boolean(),
  text: z.strictObject({ format: Format, verbosity: z.enum(['low', 'medium', 'high']) }),
  ...{ top_p: z.number(), temperature: z.number(), presence_penalty: z.number(), frequency_penalty: z.number() },
  top_logprobs: count,
  reasoning: z.strictObject({
    effort: z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh']).nullable(),
    summary: z.enum(['auto', 'concise', 'detailed']).nullable(),
  }),
  ...{ max_output_tokens: limit, max_tool_calls: limit, store: z.boolean(), background: z.boolean() },
  service_tier: z.literal('default'),
  metadata: z.record(z.string(), z.string()),
  ...{ safety_identifier: text, prompt_cache_key: text, user: text },
  conversation: z.strictObject({ id: z.string() }).nullable(),
};

/** A response with exactly the fields of Open Responses' resource. */
export const Resource = taken<Omit<Theirs, Own>>()(
  z.strictObject({
    id: z.string().regex(/^resp_[0-9a-z]{26}$/),
    object: z.literal('response'),
    created_at: count,
    completed_at: count.nullable(),
    status: z.enum(['queued', 'in_progress', 'completed', 'incomplete', 'failed', 'cancelled']),
    incomplete_details: z.strictObject({ reason }).nullable(),
    output: z.array(Item),
    error: z
      .strictObject({
        code: z.enum(['server_error', 'rate_limit_exceeded', 'invalid_prompt']),
        ...{ type: z.string(), message: z.string() },
      })
      .nullable(),
    usage: Usage.nullable(),
    ...echoed,
  }),
);
export type Resource = z.output<typeof Resource>;

/** A compacted history with exactly the fields of Open Responses' `CompactResource`. */
export const CompactResource = taken<Omit<OpenAI.Responses.CompactedResponse, 'output'>>()(
  z.strictObject({
    id: z.string().regex(/^resp_[0-9a-z]{26}$/),
    object: z.literal('response.compaction'),
    output: z.array(z.discriminatedUnion('type', [UserMessage, Compaction])),
    ...{ created_at: count, usage: Usage },
  }),
);
export type CompactResource = z.output<typeof CompactResource>;
