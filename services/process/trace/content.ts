import type { Redact } from '#core/redact.ts';
import { argumentsToRun } from '#core/turn/call.ts';
import type { Message } from '#core/turn/message.ts';
import type { Reply } from '#core/turn/reply.ts';
import type { InputItem } from '#core/turn/request/item.ts';
import type { ToolResult } from '#core/turn/tool-result.ts';
import type { ToolCall } from '#core/turn/turn.ts';
import type { SpanAttributes } from './tracer.ts';

type Part =
  | { type: 'text'; content: string }
  | { type: 'tool_call'; id: string; name: string; arguments: string }
  | { type: 'tool_call_response'; id: string; response: string };

/** Returns the prompt of a model request, in the form of the GenAI conventions and without known secrets. */
export function promptContent(
  { instructions, messages }: { instructions: string | null; messages: readonly Message[] },
  redact: Redact,
): SpanAttributes {
  return {
    'gen_ai.system_instructions': instructions === null ? null : render(textParts(instructions), redact),
    'gen_ai.input.messages': render(messages.map(inputMessage), redact),
  };
}

/** Returns the reply of a model, in the form of the GenAI conventions and without known secrets. */
export function replyContent(reply: Reply | null, redact: Redact): SpanAttributes {
  return { 'gen_ai.output.messages': reply && render([outputMessage(reply)], redact) };
}

/** Returns the input and the output of a turn, in the same form. */
export function turnContent(
  { input, output }: { input: readonly InputItem[]; output: string | null },
  redact: Redact,
): SpanAttributes {
  const said = input.flatMap((item) => ('role' in item ? [{ role: item.role, content: item.content }] : []));
  const messages = said.map(({ role, content }) => ({ role, parts: textParts(textOf(content)) }));
  const answer = output === null ? null : [{ role: 'assistant', parts: textParts(output) }];
  return {
    'gen_ai.input.messages': render(messages, redact),
    'gen_ai.output.messages': answer && render(answer, redact),
  };
}

export function toolContent(call: ToolCall, result: ToolResult, redact: Redact): SpanAttributes {
  return {
    'gen_ai.tool.call.arguments': redact(argumentsToRun(call)),
    'gen_ai.tool.call.result': redact(result.content ?? result.error?.message ?? ''),
  };
}

function inputMessage(message: Message): { role: string; parts: Part[] } {
  const { role, content } = message;
  if (role === 'tool')
    return { role, parts: [{ type: 'tool_call_response', id: message.callId, response: message.content }] };
  const calls = role === 'assistant' ? message.calls.map((call) => ({ type: 'tool_call' as const, ...call })) : [];
  return { role, parts: [...(content === null ? [] : textParts(content)), ...calls] };
}

function outputMessage({ text, calls, finishReason }: Reply) {
  const parts = [...(text === null ? [] : textParts(text)), ...calls.map((call) => ({ type: 'tool_call', ...call }))];
  return { role: 'assistant', parts, finish_reason: finishReason };
}

function textParts(content: string): Part[] {
  return [{ type: 'text', content }];
}

/** Returns the texts of a content. An image, a file or audio is replaced by its type. */
function textOf(content: string | readonly { type: string; text?: string }[]): string {
  if (typeof content === 'string') return content;
  return content.map(({ type, text }) => text ?? `[${type}]`).join('\n');
}

function render(value: unknown, redact: Redact): string {
  return redact(JSON.stringify(value));
}
