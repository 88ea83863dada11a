import type { Message } from '../../turn/message.ts';
import type { Part } from '../../turn/request/item.ts';
import { textWithNotes } from './missing-note.ts';

/**
 * The same history for a wire whose results have text only: a user message behind all results of a batch has the images and
 * files in them, each with the call it answers. `render` makes null of a part that the wire does not take.
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

/** The simulator knows such a message by these words. */
const OPENING = 'Images and files of the tool results above, not sent by the user.';

function text(words: string): Part {
  return { type: 'input_text', text: words };
}

type Result = Extract<Message, { role: 'tool' }>;

/** The results of a batch, if the message at `index` is the last of them; otherwise none. */
export function resultsOfBatch(messages: Message[], index: number): Result[] {
  if (messages[index]?.role !== 'tool' || messages[index + 1]?.role === 'tool') return [];
  let start = index;
  while (messages[start - 1]?.role === 'tool') start -= 1;
  return messages.slice(start, index + 1).filter((message) => message.role === 'tool');
}
