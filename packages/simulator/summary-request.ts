import { type ChatRequest, textOf } from './chat-request.ts';
import type { CurrentTurn } from './current-turn.ts';
import type { ScriptedReply } from './script.ts';

/** Whether a model is asked for a summary: the system message says so, as Pawl asks it. */
export function isSummaryRequest({ messages: [first] }: ChatRequest): boolean {
  return first?.role === 'system' && textOf(first).startsWith('You summarize conversations');
}

/** What the script says, with what it is asked to summarize in the place of {{conversation}}; else how much that is. */
export function summaryOf({ input }: CurrentTurn, scripted: ScriptedReply = {}): string {
  if (scripted.refusal !== undefined) return scripted.say ?? '';
  const text = scripted.say ?? `The user and the assistant spoke ${input.split(/\s+/).length} words.`;
  return text.replaceAll('{{conversation}}', () => input);
}

/** Whether a summary stands for a part of the history. */
export function hasSummary({ messages }: ChatRequest): boolean {
  return messages.some(
    (message) => message.role === 'user' && textOf(message).startsWith('Summary of the conversation'),
  );
}
