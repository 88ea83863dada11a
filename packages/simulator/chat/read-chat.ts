import { z } from 'zod';
import { type ChatMessage, ChatRequest } from '../chat-request.ts';
import { refuse } from '../error-body.ts';
import type { Reading, Stamp } from '../render-response.ts';
import { renderCompletion, renderCompletionStream } from './render-completion-stream.ts';

export function readChat(sent: unknown, { id, createdAt }: Stamp): Reading {
  const { data: body, error } = ChatRequest.safeParse(sent);
  if (!body) return { kind: 'unreadable', refusal: unreadable(error) };
  const meta = {
    completionId: `chatcmpl-${id}`,
    createdAt,
    model: body.model,
    includeUsage: body.stream_options?.include_usage === true,
  };
  const problem = checkHistory(body.messages);
  return {
    kind: 'request',
    body,
    refusal: problem === null ? null : refuse({ code: 'invalid_history', message: problem, param: 'messages' }),
    renderer: {
      isStream: body.stream === true,
      whole: (reply) => renderCompletion(reply, meta),
      stream: (response) => renderCompletionStream(response, meta),
    },
  };
}

function unreadable(error: z.ZodError) {
  const message = `The request is no chat completion request. ${z.prettifyError(error)}`;
  return refuse({ code: 'invalid_request', message, param: null });
}

/**
 * Returns the reason why OpenAI would refuse these messages, or null. Each call must be answered once, directly after
 * its message. The simulator is as strict as the vendor, so that a broken history fails here first.
 */
function checkHistory(messages: ChatMessage[]): string | null {
  let unanswered = new Set<string>();
  for (const [index, message] of messages.entries()) {
    if (message.role === 'tool') {
      if (!unanswered.delete(message.tool_call_id ?? '')) return orphan(index, message);
      continue;
    }
    if (unanswered.size) return missing(index, unanswered);
    unanswered = new Set(message.tool_calls?.map((call) => call.id));
    if (unanswered.size !== (message.tool_calls?.length ?? 0)) return `messages[${index}]: two tool calls share an id.`;
  }
  return unanswered.size ? missing(messages.length, unanswered) : null;
}

function orphan(index: number, { tool_call_id }: ChatMessage): string {
  const rule = "a message with role 'tool' must answer a call of the assistant message before it, and each call once";
  return `messages[${index}]: ${rule}. '${tool_call_id}' is not such a call.`;
}

function missing(index: number, ids: Set<string>): string {
  const rule = "an assistant message with 'tool_calls' must be followed by a tool message for each call";
  return `messages[${index}]: ${rule}; missing: ${[...ids].join(', ')}.`;
}
