import { z } from '@hono/zod-openapi';
import { hostedCallItems, OutputAnnotation } from './hosted-call-item.ts';

const id = z.string().describe('The id of the item: the id of the response, and the position of the item.');
const callId = z.string().describe('The model’s id of the call. The output of the call names this id.');
const name = z.string().describe('The name of the tool.');
const namespace = z
  .string()
  .optional()
  .describe('The namespace of the tool, if the request defines the tool in a namespace.');
const status = z.enum(['in_progress', 'completed']).describe('The status. `in_progress` occurs only in a stream.');

/** A part of a message. */
export const OutputPart = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('output_text'),
    text: z.string().describe('The text.'),
    annotations: z.array(OutputAnnotation).describe('The sources of the text.'),
    logprobs: z.array(z.unknown()).describe('Always empty.'),
  }),
  z.object({ type: z.literal('refusal'), refusal: z.string().describe('The text of the refusal.') }),
]);

const Reasoning = z.object({
  id,
  type: z.literal('reasoning'),
  summary: z
    .array(z.object({ type: z.literal('summary_text'), text: z.string().describe('The text of the reasoning.') }))
    .describe('The reasoning before the first text or call.'),
  encrypted_content: z
    .string()
    .optional()
    .describe('The sealed state of the provider. Present only if the request includes it.'),
});

const Message = z.object({
  id,
  type: z.literal('message'),
  role: z.literal('assistant'),
  status: z.enum(['in_progress', 'completed', 'incomplete']).describe('Whether the message is complete.'),
  content: z.array(OutputPart).describe('The text of the message. A refusal may follow it.'),
});

const FunctionCall = z.object({
  ...{ id, type: z.literal('function_call'), status, call_id: callId, name, namespace },
  arguments: z.string().describe('The arguments: JSON, as the model wrote it.'),
});

const CustomToolCall = z.object({
  ...{ id, type: z.literal('custom_tool_call'), status, call_id: callId, name, namespace },
  input: z.string().describe('The input, as the model wrote it.'),
});

const McpCall = z.object({
  ...{ id, type: z.literal('mcp_call'), name },
  status: z.enum(['in_progress', 'completed', 'failed']).describe('The status of the call.'),
  server_label: z.string().describe('The runner of the call: an MCP server, `pawl`, or `http`.'),
  arguments: z.string().describe('The arguments: JSON, as the model wrote it.'),
  output: z.string().nullable().describe('The result that the model reads.'),
  error: z
    .object({
      type: z.literal('mcp_tool_execution_error'),
      content: z
        .array(z.object({ type: z.literal('text'), text: z.string().describe('A sentence about the error.') }))
        .describe('The error that the model reads.'),
    })
    .nullable()
    .describe('The error of the call.'),
  approval_request_id: z.string().nullable().describe('The approval request that allowed the call.'),
});

const McpApprovalRequest = z.object({
  ...{ id, type: z.literal('mcp_approval_request'), name },
  server_label: z.string().describe('The runner of the call after approval: an MCP server, `pawl`, or `http`.'),
  arguments: z.string().describe('The arguments: JSON, as the model wrote it.'),
});

/** An item of a response's output. */
export const OutputItem = z
  .discriminatedUnion('type', [
    Reasoning,
    Message,
    FunctionCall,
    CustomToolCall,
    McpCall,
    McpApprovalRequest,
    ...hostedCallItems,
  ])
  .meta({
    id: 'ResponseOutputItem',
    description:
      'An item of the output. Calls that Pawl runs are `mcp_call`. The provider runs the other hosted calls.',
  });
