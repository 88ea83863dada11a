import { z } from 'zod';
import { InputMessage } from '#core/turn/message.ts';
import { FINISH_REASONS } from '#core/turn/reply.ts';
import { InputPart } from '#core/turn/request/input-part.ts';
import { Json } from '#core/turn/request/json.ts';
import { TOOL_ERROR_CATEGORIES } from '#core/turn/tool-result.ts';
import { exampleOf } from '../../schemas/fields/example-of.ts';
import { orNull } from '../../schemas/fields/or-null.ts';
import { Time } from '../../schemas/fields/time.ts';
import { HostedCall, hostedFields } from './hosted.ts';

const category = z
  .enum(TOOL_ERROR_CATEGORIES)
  .describe('The kind of failure. `outcome_unknown`: Pawl does not know whether the call took effect.');
const message = z.string().describe('A sentence about the problem. The model reads it.');

/** The error of a call in a turn. */
const ToolError = z
  .object({
    category,
    message,
    details: z.record(z.string(), z.unknown()).describe('More details for the model, as names and values.'),
  })
  .meta({
    id: 'ToolError',
    description: 'The reason why a call has no result. The model reads it too.',
    examples: [{ category: 'resource_not_found', message: 'There is no such city.', details: { city: 'Atlantis' } }],
  });

/** The error of a call in a request. */
export const ToolErrorBody = z.strictObject({
  category,
  message: message.min(1),
  details: z.record(z.string(), Json).optional().describe('More details for the model, as names and values.'),
});

/** The tokens that providers count. */
export const tokens = {
  input_tokens: z.int().describe('Tokens of the request, including tokens that a cache read or wrote.'),
  output_tokens: z.int().describe('Tokens of the reply, including reasoning tokens.'),
  total_tokens: z.int().describe('The sum of input and output tokens.'),
  cached_input_tokens: z.int().describe('The input tokens that were read from a cache.'),
  cache_write_tokens: z.int().describe('The input tokens that were written to a cache.'),
  reasoning_tokens: z.int().describe('The output tokens that the model spent on reasoning.'),
  cost_usd: z
    .number()
    .nullable()
    .describe('The cost in US dollars, by the `PAWL_PRICES` of that time. Null if a price is unknown.'),
};

/** The usage of rounds, and the effect of caching. */
export const usage = {
  ...tokens,
  hosted_calls: z
    .record(z.string(), z.int())
    .optional()
    .describe('The calls of tools that the provider ran, by kind. Absent if there were none.'),
  cache_savings_usd: z
    .number()
    .nullable()
    .describe('The US dollars that caching saved. Negative if it cost more. Null if `cost_usd` is null.'),
};

const counts = {
  ...{ input_tokens: 61, output_tokens: 18, total_tokens: 79 },
  ...{ cached_input_tokens: 0, cache_write_tokens: 0, reasoning_tokens: 0 },
  ...{ cost_usd: 0.000266, cache_savings_usd: 0 },
};
/** The usage of a request for a reply. */
export const Tokens = z
  .object(usage)
  .meta({ id: 'TokenUsage', description: 'The usage of one round.', examples: [counts] });

const CallId = z.string().meta({
  description: 'The id of the call: the model’s own id, or an id by Pawl if the model’s id is not usable.',
  examples: ['call_1'],
});

/** The arguments of a call that a person changed. */
const ApprovedArguments = z
  .record(z.string(), z.unknown())
  .describe('The arguments that a person allowed the call with. Absent if the person did not change the arguments.');

/** A call as the model requested it. */
export const ToolCall = z
  .object({
    id: CallId,
    name: z.string().describe('The name of the tool.'),
    arguments: z
      .union([z.record(z.string(), z.unknown()), z.string()])
      .describe('The arguments as an object, or the model’s raw text if it is not a JSON object.'),
    approved_arguments: ApprovedArguments.optional(),
  })
  .meta({
    id: 'ToolCall',
    description: 'A call that the model requested, with the changes that a person made.',
    examples: [{ id: 'call_1', name: 'get_weather', arguments: { city: 'Lisbon' } }],
  });

/** The state of a call's answer. */
export const ToolResult = z
  .object({
    tool_call_id: CallId,
    status: z
      .enum(['pending', 'running', 'success', 'error', 'handed_over'])
      .describe(
        'Whether the call has an answer, and its kind. ' +
          '`handed_over`: the caller answers the call in a later turn.',
      ),
    content: z
      .union([z.string(), z.array(InputPart)])
      .nullable()
      .describe('The result that the model reads: a text or parts. Null until Pawl has the result, and for errors.'),
    error: orNull(ToolError).describe(
      'The reason why there is no result. Null if there is a result, or no answer yet.',
    ),
    truncated: z.boolean().describe('Whether `content` was cut. `tool_outputs/{call_id}` has the whole text.'),
    cached: z.boolean().describe('Whether the result is the saved result of an equal earlier call.'),
    duration_ms: z.number().nullable().describe('The duration of the call in milliseconds. Null until the call ends.'),
    attempts: z.int().describe('How often the call was made. 0 if it was never made.'),
  })
  .meta({
    id: 'ToolResult',
    description: 'The state of one call and its answer.',
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
    tool_calls: z.array(ToolCall).describe('The calls, as the model requested them.'),
    results: z.array(ToolResult).describe('The result of each call, in the same order.'),
  })
  .describe('Calls of earlier turns that a person has allowed. They run first. Absent if there are none.');

const finishReason = z.enum(FINISH_REASONS);

/** A request to the model and its reply. */
export const Round = z
  .object({
    number: z.int().describe('The number of the round in the turn, from 1.'),
    input: z
      .array(InputMessage)
      .describe(
        'The input messages that were first sent with this round. They follow the results of the round before.',
      ),
    model: z.string().describe('The model that wrote the reply: the model of the turn, or a fallback.'),
    assistant_response: z
      .string()
      .nullable()
      .describe(
        'The text next to the calls, or an answer that needed repair. Null in the last round: its text is the turn’s `output`.',
      ),
    finish_reason: finishReason.describe('The reason why the model stopped, as Pawl’s value.'),
    finish_reason_raw: z.string().nullable().describe('The reason why the model stopped, as the provider’s own value.'),
    usage: orNull(Tokens).describe('The usage of the round. Null if the provider did not report it.'),
    service_tier: z.string().nullable().describe('The service tier that the provider reported, as its own value.'),
    tool_calls: z.array(ToolCall).describe('The calls that the model requested, in its order.'),
    results: z.array(ToolResult).describe('The result of each call, in the same order.'),
    hosted_calls: z.array(HostedCall).describe('The calls of tools that the provider ran, in their order.'),
    ...hostedFields,
    started_at: Time,
    completed_at: Time,
    attempts: z.int().describe('How often the model was asked for this round, not counting rate-limited requests.'),
  })
  .meta({
    id: 'Round',
    description: 'A round: one request to the model, its reply, and the results of the calls that it requested.',
    examples: [
      {
        ...{ number: 1, model: 'sim/demo', input: [], assistant_response: 'Let me look.', finish_reason: 'tool_calls' },
        ...{ finish_reason_raw: 'tool_calls', usage: counts, service_tier: 'default', attempts: 1 },
        ...{ tool_calls: [exampleOf(ToolCall)], results: [exampleOf(ToolResult)] },
        ...{ hosted_calls: [], output_annotations: [], output_parts: null },
        ...{ started_at: '2026-11-20T10:00:00.104Z', completed_at: '2026-11-20T10:00:01.210Z' },
      },
    ],
  });
