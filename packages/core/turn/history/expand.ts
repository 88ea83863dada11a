import { withHostedNotes } from '../hosted/hosted-notes.ts';
import type { Message, RequestedCall } from '../message.ts';
import type { Part } from '../request/item.ts';

type Result = Extract<Message, { role: 'tool' }>;

/** One message of the expanded history. Each wire has its own names for roles and contents. */
export type ExpandedMessage =
  | { kind: 'text'; role: 'user' | 'system' | 'assistant'; text: string; parts?: Part[] | undefined }
  | { kind: 'calls'; calls: RequestedCall[] }
  | { kind: 'results'; results: Result[] };

/**
 * Splits rounds into messages: text before the calls, the calls, the results, the final text. Calls that providers ran
 * are notes in the text, and images of the model follow their round.
 */
export function expandHistory(messages: Message[]): ExpandedMessage[] {
  return withHostedNotes(messages, null).flatMap(expand);
}

function expand(message: Message, index: number, messages: Message[]): ExpandedMessage[] {
  switch (message.role) {
    case 'user':
    case 'system':
      return textMessage(message.role, message.content, message.parts);
    case 'assistant':
      return [...textMessage('assistant', message.content), ...roundMessages(message.calls, messages, index)];
    case 'tool':
      return [];
  }
}

function textMessage(role: 'user' | 'system' | 'assistant', text: string | null, parts?: Part[]): ExpandedMessage[] {
  return text || parts ? [{ kind: 'text', role, text: text ?? '', ...(parts && { parts }) }] : [];
}

/** Returns the calls and results of a round. In a transcript the results directly follow the calls. */
function roundMessages(calls: RequestedCall[], messages: Message[], index: number): ExpandedMessage[] {
  if (calls.length === 0) return [];
  const following = messages.slice(index + 1, index + 1 + calls.length);
  const results = following.filter((message) => message.role === 'tool');
  return [
    { kind: 'calls', calls },
    { kind: 'results', results },
  ];
}
