import type { Message } from '../message.ts';

/** Takes the system prompt off a history: the instructions and the system messages it begins with, without blank ones. */
export function systemPrompt(messages: Message[], instructions: string | null) {
  const start = messages.findIndex(({ role }) => role !== 'system');
  const leading = start === -1 ? messages : messages.slice(0, start);
  const texts = [instructions, ...leading.map(({ content }) => content)].filter((text) => text?.trim());
  return { system: texts.length > 0 ? texts.join('\n\n') : null, rest: messages.slice(leading.length) };
}

/** A system message in mid-conversation as a user message, for a wire that knows none there. */
export function systemAsUser(text: string): string {
  return `System message, not written by the user:\n${text}`;
}
