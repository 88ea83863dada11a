import type { Message } from '../message.ts';

/** Splits off the system prompt of a history: the instructions and the first system messages, without blank texts. */
export function systemPrompt(messages: Message[], instructions: string | null) {
  const start = messages.findIndex(({ role }) => role !== 'system');
  const leading = start === -1 ? messages : messages.slice(0, start);
  const texts = [instructions, ...leading.map(({ content }) => content)].filter((text) => text?.trim());
  return { system: texts.length > 0 ? texts.join('\n\n') : null, rest: messages.slice(leading.length) };
}

/** Returns a later system message as a user message, for a wire without later system messages. */
export function systemAsUser(text: string): string {
  return `System message, not written by the user:\n${text}`;
}
