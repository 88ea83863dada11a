import { type ChatMessage, textOf } from './chat-request.ts';

/**
 * The running turn in a history: the text of the last user message, and all messages after it. `repairs`: how often among them
 * the model was told that its answer does not fit.
 */
export type CurrentTurn = { number: number; input: string; since: ChatMessage[]; repairs: number };

/** Splits the history at its last user message; turns are numbered from 1. */
export function currentTurn(messages: ChatMessage[]): CurrentTurn {
  const index = messages.findLastIndex((message) => saidByUser(message) !== null);
  const message = messages[index];
  const since = messages.slice(index + 1);
  return {
    number: messages.filter((each) => saidByUser(each) !== null).length,
    input: (message && saidByUser(message)) ?? '',
    since,
    repairs: since.filter((one) => one.role === 'user' && textOf(one).startsWith(REPAIR)).length,
  };
}

const REPAIR = 'Your answer does not fit the JSON Schema';

/** The images of results, which Pawl says in a user's place: this wire takes no images in results. */
const IMAGES = 'Images and files of the tool results above';

/** What the user says in a message; null if only Pawl speaks in it. */
function saidByUser(message: ChatMessage): string | null {
  const text = textOf(message);
  if (message.role !== 'user' || text.startsWith(REPAIR)) return null;
  return text.startsWith(IMAGES) ? saidAfterImages(message) : text;
}

/** Pawl merges what a user says after images with them. */
function saidAfterImages({ content }: ChatMessage): string | null {
  const parts = Array.isArray(content) ? content : [];
  const after = parts.slice(parts.findLastIndex(({ type }) => type !== 'text') + 1);
  return after.map(({ text = '' }) => text).join('') || null;
}

/** How many rounds with calls this turn has had. */
export function roundsPlayed({ since }: CurrentTurn, callsAs: 'native' | 'json' | 'inline'): number {
  // Inline calls leave no calls in the history, only one system message with results for each round.
  if (callsAs === 'inline') return since.filter((message) => message.role === 'system').length;
  return since.filter((message) => message.tool_calls?.length).length;
}

/** The results of this turn's tools, one below the other. */
export function resultsText({ since }: CurrentTurn): string {
  const results = since.filter((message) => message.role === 'tool' || message.role === 'system');
  return results.flatMap((message) => resultsIn(textOf(message))).join('\n');
}

/** Several inline results come in one message, each between its own marks. */
function resultsIn(text: string): string[] {
  const marked = [...text.matchAll(/<result>\n([\s\S]*?)\n<\/result>/g)].map(([, inside = '']) => inside);
  return marked.length ? marked : [text];
}
