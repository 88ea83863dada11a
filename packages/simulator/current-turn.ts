import { type ChatMessage, textOf } from './chat-request.ts';

/**
 * The running turn of a history: the text of the last user message, and all messages after it. `repairs` counts the
 * messages that report an invalid answer to the model.
 */
export type CurrentTurn = { number: number; input: string; since: ChatMessage[]; repairs: number };

/** Splits the history at its last user message. Turns are numbered from 1. */
export function currentTurn(messages: ChatMessage[]): CurrentTurn {
  const index = messages.findLastIndex(isSaidByUser);
  const message = messages[index];
  const since = messages.slice(index + 1);
  return {
    number: messages.filter(isSaidByUser).length,
    input: message ? textOf(message) : '',
    since,
    repairs: since.filter((one) => one.role === 'user' && textOf(one).startsWith(REPAIR)).length,
  };
}

/** The beginning of the message in which Pawl asks, as the user, for a summary of the messages before it. */
export const SUMMARY_QUESTION = 'Summarize this conversation. Another model continues it';

const REPAIR = 'Your answer does not fit the JSON Schema';

/**
 * The openings of messages that Pawl sends as the user: repairs, images of results or replies, and requests for a
 * summary. Results and replies of Chat Completions cannot contain images.
 */
const SAID_BY_PAWL = [
  REPAIR,
  'Images and files of the tool results above',
  'Images that the assistant made above',
  SUMMARY_QUESTION,
];

const SYSTEM_AS_USER = 'System message, not written by the user:';

/** Returns a user's text as a message. Wires without later system messages have them as marked text of the user. */
export function messageOfUser(content: string): ChatMessage {
  return { role: content.startsWith(SYSTEM_AS_USER) ? 'system' : 'user', content };
}

function isSaidByUser(message: ChatMessage): boolean {
  return message.role === 'user' && !SAID_BY_PAWL.some((opening) => textOf(message).startsWith(opening));
}

/** Returns the number of rounds with calls in this turn. */
export function roundsPlayed({ since }: CurrentTurn, callsAs: 'native' | 'json' | 'inline'): number {
  // Inline calls leave no calls in the history, only one system message with results for each round.
  if (callsAs === 'inline') return since.filter((message) => message.role === 'system').length;
  return since.filter((message) => message.tool_calls?.length).length;
}

/** Joins the results of this turn's tools, each on its own lines. */
export function resultsText({ since }: CurrentTurn): string {
  const results = since.filter((message) => message.role === 'tool' || message.role === 'system');
  return results.flatMap((message) => resultsIn(textOf(message))).join('\n');
}

/** Splits a message that has several inline results, each between its marks. */
function resultsIn(text: string): string[] {
  const marked = [...text.matchAll(/<result>\n([\s\S]*?)\n<\/result>/g)].map(([, inside = '']) => inside);
  return marked.length ? marked : [text];
}
