import { type ChatMessage, type ChatRequest, textOf } from './chat-request.ts';
import { type CurrentTurn, SUMMARY_QUESTION } from './current-turn.ts';
import type { ScriptedReply } from './script.ts';

/** Returns whether the request asks for a summary. Pawl asks in the system message, or in the last message. */
export function isSummaryRequest({ messages }: ChatRequest): boolean {
  const [first] = messages;
  const isInstructed = first?.role === 'system' && textOf(first).startsWith('You summarize conversations');
  return isInstructed || hasQuestion(messages);
}

function hasQuestion(messages: ChatMessage[]): boolean {
  const last = messages.at(-1);
  return last?.role === 'user' && textOf(last).startsWith(SUMMARY_QUESTION);
}

/**
 * Returns the text of the script, with the conversation in place of {{conversation}}. Without a text, returns the
 * number of its words.
 */
export function summaryOf({ messages }: ChatRequest, { input }: CurrentTurn, scripted: ScriptedReply = {}): string {
  if (scripted.refusal !== undefined) return scripted.say ?? '';
  const conversation = hasQuestion(messages) ? messages.slice(0, -1).map(textOf).join('\n') : input;
  const text = scripted.say ?? `The user and the assistant spoke ${conversation.split(/\s+/).length} words.`;
  return text.replaceAll('{{conversation}}', () => conversation);
}

/** Returns whether a summary replaces a part of the history. */
export function hasSummary({ messages }: ChatRequest): boolean {
  return messages.some(
    (message) => message.role === 'user' && textOf(message).startsWith('Summary of the conversation'),
  );
}
