import type { ChatMessage } from '../chat-request.ts';

/**
 * Returns the reason why a provider would refuse these messages, or null. Each call must be answered once, directly
 * after its message. The simulator is as strict as the vendor, so that a broken history fails here first.
 */
export function checkHistory(messages: ChatMessage[]): string | null {
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
