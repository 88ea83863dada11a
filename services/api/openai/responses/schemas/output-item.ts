import { z } from '@hono/zod-openapi';

const id = z.string().describe('Made of the id of the response and the place of the item.');
const callId = z.string().describe('The model’s id of the call; its output names it.');
const name = z.string().describe('The name of the tool.');
const namespace = z.string().optional().describe('The namespace of the tool, if the request has the tool in one.');
const status = z.enum(['in_progress', 'completed']).describe('In progress only as it is told in a stream.');

/** A part of a message. */
export const OutputPart = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('output_text'),
    text: z.string().describe('The text.'),
    annotations: z.array(z.unknown()).describe('Always empty.'),
    logprobs: z.array(z.unknown()).describe('Always empty.'),
  }),
  z.object({ type: z.literal('refusal'), refusal: z.string().describe('How the model refused.') }),
]);

const Reasoning = z.object({
  id,
  type: z.literal('reasoning'),
  summary: z
    .array(z.object({ type: z.literal('summary_text'), text: z.string().describe('What the model thought.') }))
    .describe('The thoughts before the first text or call.'),
  encrypted_content: z.string().optional().describe('State of the provider, sealed; only where it was asked for.'),
});

const Message = z.object({
  id,
  type: z.literal('message'),
  role: z.literal('assistant'),
  status: z.enum(['in_progress', 'completed', 'incomplete']).describe('Whether it is whole.'),
  content: z.array(OutputPart).describe('Its text, and a refusal behind it.'),
});

const FunctionCall = z.object({
  ...{ id, type: z.literal('function_call'), status, call_id: callId, name, namespace },
  arguments: z.string().describe('JSON, as the model wrote it.'),
});

const CustomToolCall = z.object({
  ...{ id, type: z.literal('custom_tool_call'), status, call_id: callId, name, namespace },
  input: z.string().describe('What the model wrote.'),
});

const McpCall = z.object({
  ...{ id, type: z.literal('mcp_call'), name },
  status: z.enum(['in_progress', 'completed', 'failed']).describe('How it stands.'),
  server_label: z.string().describe('Who ran it: an MCP server, `pawl`, or `http`.'),
  arguments: z.string().describe('JSON, as the model wrote it.'),
  output: z.string().nullable().describe('What the model read.'),
  error: z
    .object({
      type: z.literal('mcp_tool_execution_error'),
      content: z
        .array(z.object({ type: z.literal('text'), text: z.string().describe('Why, in a sentence.') }))
        .describe('What the model read.'),
    })
    .nullable()
    .describe('Why it failed.'),
  approval_request_id: z.string().nullable().describe('The request that allowed it.'),
});

const McpApprovalRequest = z.object({
  ...{ id, type: z.literal('mcp_approval_request'), name },
  server_label: z.string().describe('Who runs it once it is allowed: an MCP server, `pawl`, or `http`.'),
  arguments: z.string().describe('JSON, as the model wrote it.'),
});

/** One item of a response's output (contract-responses R34, R40). */
export const OutputItem = z
  .discriminatedUnion('type', [Reasoning, Message, FunctionCall, CustomToolCall, McpCall, McpApprovalRequest])
  .meta({ id: 'ResponseOutputItem', description: 'An item of the output. Calls that Pawl runs are `mcp_call`.' });
