import { z } from 'zod';
import { InputMessage } from '#core/turn/message.ts';

const Time = z.string().meta({ description: 'RFC 3339, UTC, milliseconds', example: '2026-11-20T10:00:00.000Z' });

const tokens = {
  input_tokens: z.int(),
  output_tokens: z.int(),
  total_tokens: z.int(),
  cached_input_tokens: z.int(),
  reasoning_tokens: z.int(),
};

const ToolCall = z.object({ id: z.string(), name: z.string(), arguments: z.unknown() }).meta({
  id: 'ToolCall',
  description: 'One call the model asked for; arguments are its raw text where that is no JSON object.',
});

const ToolResult = z
  .object({
    tool_call_id: z.string(),
    status: z.enum(['pending', 'running', 'success', 'error']),
    content: z.string().nullable(),
    error: z
      .object({ category: z.string(), message: z.string(), details: z.record(z.string(), z.unknown()) })
      .nullable(),
    truncated: z.boolean(),
    cached: z.boolean(),
    duration_ms: z.number().nullable(),
    attempts: z.int(),
  })
  .meta({ id: 'ToolResult', description: 'What is known of the answer to one call.' });

export const Round = z
  .object({
    number: z.int(),
    assistant_response: z.string().nullable(),
    finish_reason: z.enum(['stop', 'tool_calls', 'length', 'content_filter', 'refusal', 'other']),
    finish_reason_raw: z.string().nullable(),
    usage: z.object(tokens).nullable(),
    tool_calls: z.array(ToolCall),
    results: z.array(ToolResult),
    started_at: Time,
    completed_at: Time,
    attempts: z.int(),
  })
  .meta({
    id: 'Round',
    description: 'One request to the model and its reply, with the results of the calls it asked for.',
  });

const status = z.enum(['queued', 'in_progress', 'requires_action', 'completed', 'incomplete', 'failed', 'cancelled']);

export const TurnStatus = status;

/** The turn as callers see it; `presentTurn` makes it. */
export const Turn = z
  .object({
    id: z.string(),
    object: z.literal('turn'),
    conversation_id: z.string(),
    status,
    input: z.array(InputMessage),
    model: z.string(),
    round: z.int(),
    phase: z.enum(['llm_round', 'tool_batch']).nullable(),
    last_event: z.int(),
    output: z.string().nullable(),
    rounds: z.array(Round),
    required_action: z
      .object({ tool_outputs: z.array(ToolCall), approvals: z.array(ToolCall), expires_at: Time.nullable() })
      .nullable(),
    incomplete_details: z.object({ reason: z.string() }).nullable(),
    error: z
      .object({
        type: z.string(),
        code: z.string(),
        message: z.string(),
        retryable: z.boolean(),
        provider: z
          .object({ status: z.int().nullable(), code: z.string().nullable(), request_id: z.string().nullable() })
          .optional(),
      })
      .nullable(),
    usage: z.object({ ...tokens, llm_calls: z.int(), tool_calls: z.int() }),
    warnings: z.array(z.string()),
    metadata: z.record(z.string(), z.string()),
    created_at: Time,
    started_at: Time.nullable(),
    completed_at: Time.nullable(),
  })
  .meta({ id: 'Turn', description: 'One input and all the work until its answer; the durable unit.' });
