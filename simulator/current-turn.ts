import { type ChatMessage, textOf } from './chat-request.ts';

/** The running turn as the history tells it: the last user message and all that came after it. */
export type CurrentTurn = { number: number; words: string; since: ChatMessage[] };

/** Splits the history at its last user message; turns are numbered from 1. */
export function currentTurn(messages: ChatMessage[]): CurrentTurn {
  const at = messages.findLastIndex((message) => message.role === 'user');
  const asked = messages[at];
  return {
    number: messages.filter((message) => message.role === 'user').length,
    words: asked ? textOf(asked) : '',
    since: messages.slice(at + 1),
  };
}

/** How many rounds with calls this turn has behind it. */
export function roundsPlayed({ since }: CurrentTurn, callsAs: 'native' | 'json' | 'inline'): number {
  // Inline calls leave no calls in the history, only one system message with results for each round.
  if (callsAs === 'inline') return since.filter((message) => message.role === 'system').length;
  return since.filter((message) => message.tool_calls?.length).length;
}

/** What the tools of this turn answered, one below the other. */
export function resultsText({ since }: CurrentTurn): string {
  const results = since.filter((message) => message.role === 'tool' || message.role === 'system');
  return results.flatMap((message) => resultsIn(textOf(message))).join('\n');
}

/** Inline results come several in one message, between marks of their own. */
function resultsIn(text: string): string[] {
  const marked = [...text.matchAll(/<result>\n([\s\S]*?)\n<\/result>/g)].map(([, inside = '']) => inside);
  return marked.length ? marked : [text];
}
