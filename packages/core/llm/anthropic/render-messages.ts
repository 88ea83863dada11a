import type { Message } from '../../turn/message.ts';
import { systemAsUser } from '../../turn/system-prompt.ts';
import type { Block } from './event.ts';
import { renderAssistant, textBlock } from './render-assistant.ts';
import { withWireIds } from './wire-id.ts';

/** One message of this wire. */
export type WireMessage = { role: 'user' | 'assistant'; content: Block[] };

/** What stands where this wire demands a user's message and the history has none. */
const OPENING: Block = { type: 'text', text: '(The conversation begins here.)' };

/**
 * The history as this wire takes it: roles by turns, starting with the user, no blank text, the results of a batch
 * first in the user message behind their calls. System messages at the start are the caller's to place; later ones
 * become user text that says what it is, since most models refuse them as messages.
 */
export function renderMessages(messages: Message[], provider: string): WireMessage[] {
  const rendered = withWireIds(messages).map((message) => render(message, provider));
  const merged = rendered.filter(({ content }) => content.length > 0).reduce(merge, []);
  const opened: WireMessage[] = merged[0]?.role === 'user' ? merged : [{ role: 'user', content: [OPENING] }, ...merged];
  return trimPrefill(opened);
}

function render(message: Message, provider: string): WireMessage {
  switch (message.role) {
    case 'user':
      return { role: 'user', content: textBlock(message.content) };
    case 'system':
      return { role: 'user', content: message.content.trim() ? textBlock(systemAsUser(message.content)) : [] };
    case 'assistant':
      return { role: 'assistant', content: renderAssistant(message, provider) };
    case 'tool':
      return { role: 'user', content: [resultBlock(message)] };
  }
}

function resultBlock({ callId, content, isError }: Extract<Message, { role: 'tool' }>): Block {
  const answer = { type: 'tool_result', tool_use_id: callId, content: content.trim() ? content : '(no output)' };
  return isError ? { ...answer, is_error: true } : answer;
}

function merge(messages: WireMessage[], next: WireMessage): WireMessage[] {
  const last = messages.at(-1);
  if (last?.role !== next.role) return [...messages, next];
  return [...messages.slice(0, -1), { ...last, content: [...last.content, ...next.content] }];
}

/** A message that the model is to go on with must not end in white space. */
function trimPrefill(messages: WireMessage[]): WireMessage[] {
  const last = messages.at(-1);
  const end = last?.content.at(-1);
  if (last?.role !== 'assistant' || typeof end?.text !== 'string') return messages;
  const trimmed = { ...last, content: [...last.content.slice(0, -1), { ...end, text: end.text.trimEnd() }] };
  return [...messages.slice(0, -1), trimmed];
}
