import { z } from 'zod';
import { InputMessage } from '#core/turn/message.ts';
import { FINISH_REASONS } from '#core/turn/reply.ts';
import { InputPart } from '#core/turn/request/input-part.ts';
import { Json } from '#core/turn/request/json.ts';
import { TOOL_ERROR_CATEGORIES } from '#core/turn/tool-result.ts';
import { exampleOf } from '../../schemas/fields/example-of.ts';
import { orNull } from '../../schemas/fields/or-null.ts';
import { Time } from '../../schemas/fields/time.ts';

const category = z
  .enum(TOOL_ERROR_CATEGORIES)
  .describe('What kind of failure it is; `outcome_unknown` where it is not known whether the call took effect.');
const message = z.string().describe('What went wrong, in a sentence that the model reads.');

/** Why a call brought no result, as turns show it. */
const ToolError = z
  .object({
    category,
    message,
    details: z.record(z.string(), z.unknown()).describe('More that the model reads, as names and values.'),
  })
  .meta({
    id: 'ToolError',
    description: 'Why a call brought no result; the model reads it too.',
    examples: [{ category: 'resource_not_found', message: 'There is no such city.', details: { city: 'Atlantis' } }],
  });

/** Why a call brought no result, as clients send it. */
export const ToolErrorBody = z.strictObject({
  category,
  message: message.min(1),
  details: z.record(z.string(), Json).optional().describe('More for the model to read, as names and values.'),
});

/** The tokens that providers count. */
export const tokens = {
  input_tokens: z.int().describe('Tokens of the request, those that a cache read or wrote among them.'),
  output_tokens: z.int().describe('Tokens of the reply, reasoning ones among them.'),
  total_tokens: z.int().describe('Input and output together.'),
  cached_input_tokens: z.int().describe('How many of the input tokens came from a cache.'),
  cache_write_tokens: z.int().describe('How many of the input tokens were written to a cache.'),
  reasoning_tokens: z.int().describe('How many of the output tokens were spent on reasoning.'),
  cost_usd: z
    .number()
    .nullable()
    .describe('What they cost in US dollars, by `PAWL_PRICES` of the time; null where a price is not known.'),
};

/** What rounds used, and what caching changed. */
export const usage = {
  ...tokens,
  cache_savings_usd: z
    .number()
    .nullable()
    .describe('US dollars that caching saved. Negative if it cost more; null if `cost_usd` is null.'),
};

const counts = {
  ...{ input_tokens: 61, output_tokens: 18, total_tokens: 79 },
  ...{ cached_input_tokens: 0, cache_write_tokens: 0, reasoning_tokens: 0 },
  ...{ cost_usd: 0.000266, cache_savings_usd: 0 },
};
/** What one request for a reply used. */
export const Tokens = z
  .object(usage)
  .meta({ id: 'TokenUsage', description: 'What one round used.', examples: [counts] });

const CallId = z
  .string()
  .meta({ description: 'The id of the call: the model’s own, or ours where that is of no use.', examples: ['call_1'] });

/** The arguments of a call that a person changed. */
const ApprovedArguments = z
  .record(z.string(), z.unknown())
  .describe('What the call is made with: a person allowed it with these arguments. Absent where they changed none.');

/** One call as the model requested it. */
export const ToolCall = z
  .object({
    id: CallId,
    name: z.string().describe('The name of the tool.'),
    arguments: z
      .union([z.record(z.string(), z.unknown()), z.string()])
      .describe('The arguments as an object, or the model’s raw text where that is no JSON object.'),
    approved_arguments: ApprovedArguments.optional(),
  })
  .meta({
    id: 'ToolCall',
    description: 'One call the model requested, and what a person changed of it.',
    examples: [{ id: 'call_1', name: 'get_weather', arguments: { city: 'Lisbon' } }],
  });

/** What is known of the answer to one call. */
export const ToolResult = z
  .object({
    tool_call_id: CallId,
    status: z
      .enum(['pending', 'running', 'success', 'error', 'handed_over'])
      .describe('Whether the call has its answer, and which. `handed_over`: its caller answers it in a later turn.'),
    content: z
      .union([z.string(), z.array(InputPart)])
      .nullable()
      .describe('What the model reads as the result, a text or parts; null until it is known, and for errors.'),
    error: orNull(ToolError).describe('Why there is no result; null where there is one, or none yet.'),
    truncated: z.boolean().describe('Whether `content` was cut; the whole is at `tool_outputs/{call_id}`.'),
    cached: z.boolean().describe('Whether the result is that of an equal call before.'),
    duration_ms: z.number().nullable().describe('How long the call took, in milliseconds; null until it is known.'),
    attempts: z.int().describe('How often the call was made; 0 where it never was.'),
  })
  .meta({
    id: 'ToolResult',
    description: 'What is known of the answer to one call.',
    examples: [
      {
        ...{ tool_call_id: 'call_1', status: 'success', content: '{"celsius":22,"sky":"clear"}', error: null },
        ...{ truncated: false, cached: false, duration_ms: 12, attempts: 1 },
      },
    ],
  });

/** The calls that a turn adopted. */
export const AdoptedCalls = z
  .object({
    tool_calls: z.array(ToolCall).describe('The calls, as they were requested.'),
    results: z.array(ToolResult).describe('Of each call, in the same order, what is known of its answer.'),
  })
  .describe('Calls of earlier turns that a person has allowed; they run first. Absent where there are none.');

const finishReason = z.enum(FINISH_REASONS);

/** One request to the model and its reply. */
export const Round = z
  .object({
    number: z.int().describe('Which round of the turn it is, from 1.'),
    input: z
      .array(InputMessage)
      .describe('What has joined the turn and was sent with this round first, behind the results of the round before.'),
    model: z.string().describe('The model that wrote it: that of the turn, or a fallback.'),
    assistant_response: z
      .string()
      .nullable()
      .describe(
        'The text beside the calls, or an answer that had to be repaired. Null in the round that ends the turn: its text is the turn’s `output`.',
      ),
    finish_reason: finishReason.describe('Why the model stopped, in our words.'),
    finish_reason_raw: z.string().nullable().describe('Why the model stopped, in its provider’s word.'),
    usage: orNull(Tokens).describe('What the round used; null where the provider did not report it.'),
    service_tier: z.string().nullable().describe('The service tier that the provider reported, in its own word.'),
    tool_calls: z.array(ToolCall).describe('The calls it requested, in its order.'),
    results: z.array(ToolResult).describe('Of each call, in the same order, what is known of its answer.'),
    started_at: Time,
    completed_at: Time,
    attempts: z
      .int()
      .describe('How often the model was asked for this round, not counting the times it was rate-limited.'),
  })
  .meta({
    id: 'Round',
    description: 'One request to the model and its reply, with the results of the calls it requested.',
    examples: [
      {
        ...{ number: 1, model: 'sim/demo', input: [], assistant_response: 'Let me look.', finish_reason: 'tool_calls' },
        ...{ finish_reason_raw: 'tool_calls', usage: counts, service_tier: 'default', attempts: 1 },
        ...{ tool_calls: [exampleOf(ToolCall)], results: [exampleOf(ToolResult)] },
        ...{ started_at: '2026-11-20T10:00:00.104Z', completed_at: '2026-11-20T10:00:01.210Z' },
      },
    ],
  });
