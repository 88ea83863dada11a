import type { ChatAttempt, ChatMessage } from './chat-request.ts';
import { currentTurn } from './current-turn.ts';
import { refusalBody } from './error-body.ts';
import { playScript } from './play-script.ts';
import type { SimulatedResponse } from './reply.ts';
import { replyUnscripted } from './reply-unscripted.ts';
import { findScript } from './script.ts';

/** Decides the response from the request alone; the same request always gets the same response. */
export function replyTo(attempt: ChatAttempt): SimulatedResponse {
  const problem = checkHistory(attempt.body.messages);
  if (problem) return refuse('invalid_history', problem, 'messages');

  const turn = currentTurn(attempt.body.messages);
  const found = findScript(turn.input);
  switch (found.kind) {
    case 'none':
      return replyUnscripted(attempt, turn);
    case 'script':
      return playScript(found.script, attempt, turn);
    case 'broken':
      return refuse('invalid_script', `The script cannot be played: ${found.param}: ${found.message}`, found.param);
  }
}

function refuse(code: string, message: string, param: string): SimulatedResponse {
  return { kind: 'error', status: 400, headers: {}, body: refusalBody(code, message, param), thinkMs: 0 };
}

/**
 * What OpenAI would refuse about these messages, or null: calls must be answered, each once, directly after
 * the message that has them. The simulator is as strict as the vendor, so that a broken history fails here first.
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
  return `messages[${index}]: ${rule}; '${tool_call_id}' is none.`;
}

function missing(index: number, ids: Set<string>): string {
  const rule = "an assistant message with 'tool_calls' must be followed by a tool message for each call";
  return `messages[${index}]: ${rule}; missing: ${[...ids].join(', ')}.`;
}
