import type { Message } from '../../turn/message.ts';
import type { Part } from '../../turn/request/item.ts';
import { textWithNotes } from './missing-note.ts';

/**
 * Returns the history for a wire with text-only results. A user message after all results of a batch has their images
 * and files, each with its call. `render` returns null for an unsupported part.
 */
export function partsBehindResults(messages: Message[], render: (part: Part) => object | null): Message[] {
  const isShown = (part: Part) => part.type !== 'input_text' && render(part) !== null;
  return messages.flatMap((message, index): Message[] => {
    if (message.role !== 'tool') return [message];
    const { parts: own, ...plain } = message;
    const result = own ? { ...plain, content: textWithNotes(own, isShown) } : plain;
    const parts = resultsOfBatch(messages, index).flatMap(({ name, callId, parts = [] }): Part[] => {
      const shown = parts.filter(isShown);
      return shown.length > 0 ? [text(`Of the result of ${name} (${callId}):`), ...shown] : [];
    });
    return parts.length > 0 ? [result, { role: 'user', content: OPENING, parts: [text(OPENING), ...parts] }] : [result];
  });
}

/** The opening of the added user message, by which the simulator recognizes it. */
const OPENING = 'Images and files of the tool results above, not sent by the user.';

function text(words: string): Part {
  return { type: 'input_text', text: words };
}

type Result = Extract<Message, { role: 'tool' }>;

/** Returns the results of a batch if the message at `index` is its last result, otherwise none. */
export function resultsOfBatch(messages: Message[], index: number): Result[] {
  if (messages[index]?.role !== 'tool' || messages[index + 1]?.role === 'tool') return [];
  let start = index;
  while (messages[start - 1]?.role === 'tool') start -= 1;
  return messages.slice(start, index + 1).filter((message) => message.role === 'tool');
}
