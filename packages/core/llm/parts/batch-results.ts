import type { Message } from '../../turn/message.ts';

type Result = Extract<Message, { role: 'tool' }>;

/** The results of a batch, if the message at `index` is the last of them; otherwise none. */
export function resultsOfBatch(messages: Message[], index: number): Result[] {
  if (messages[index]?.role !== 'tool' || messages[index + 1]?.role === 'tool') return [];
  let start = index;
  while (messages[start - 1]?.role === 'tool') start -= 1;
  return messages.slice(start, index + 1).filter((message) => message.role === 'tool');
}
