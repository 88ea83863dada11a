import type { Message } from './message.ts';

/** The system prompt of a wire that has it apart, null where there is none, and the history without it. */
export type Prompted = { system: string | null; rest: Message[] };

/** Instructions and the system messages a history begins with are its system prompt; blank ones say nothing. */
export function systemPrompt(messages: Message[], instructions: string | null): Prompted {
  const start = messages.findIndex(({ role }) => role !== 'system');
  const leading = start === -1 ? messages : messages.slice(0, start);
  const texts = [instructions, ...leading.map(({ content }) => content)].filter((text) => text?.trim());
  return { system: texts.length > 0 ? texts.join('\n\n') : null, rest: messages.slice(leading.length) };
}

/** A later system message, for a wire that knows none in mid-conversation: a user's that says what it is. */
export function systemAsUser(text: string): string {
  return `System message, not written by the user:\n${text}`;
}
