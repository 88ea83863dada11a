import { type ChatRequest, textOf } from './chat-request.ts';
import type { CurrentTurn } from './current-turn.ts';

/** Whether a model is asked for a summary: the system message says so, as Pawl asks it. */
export function isSummaryRequest({ messages: [first] }: ChatRequest): boolean {
  return first?.role === 'system' && textOf(first).startsWith('You summarize conversations');
}

/** A summary that tells how much it is of. */
export function summaryOf({ input }: CurrentTurn): string {
  return `The user and the assistant spoke ${input.split(/\s+/).length} words.`;
}

/** Whether a summary stands for a part of the history. */
export function hasSummary({ messages }: ChatRequest): boolean {
  return messages.some(
    (message) => message.role === 'user' && textOf(message).startsWith('Summary of the conversation'),
  );
}
