import type { Content, Part } from '@google/genai';
import type { Message } from '../../turn/message.ts';
import { systemAsUser, systemPrompt } from '../../turn/system-prompt.ts';
import { answerPart, renderRound } from './render-parts.ts';
import { signUnsigned } from './sign-unsigned.ts';

export type Conversation = { systemInstruction: string | null; contents: Content[] };

type About = { instructions: string | null; provider: string; model: string };

/**
 * The history as contents of user and model by turns, from a user to a user, none of them empty. Instructions and
 * the system messages at the start are the system instruction; a later system message is a user's that says so.
 */
export function renderContents(messages: Message[], { instructions, provider, model }: About): Conversation {
  const { system, rest } = systemPrompt(messages, instructions);
  let hasIds = false;
  const contents = rest.map((message): Content => {
    if (message.role === 'tool') return user([answerPart(message, hasIds)]);
    if (message.role !== 'assistant') return user(said(message));
    const round = renderRound(message, provider);
    hasIds = round.hasIds;
    return { role: 'model', parts: round.parts };
  });
  return {
    systemInstruction: system,
    contents: signUnsigned(fromUserToUser(merge(contents)), model),
  };
}

function said({ role, content }: Extract<Message, { role: 'user' | 'system' }>): Part[] {
  if (!content.trim()) return [];
  return [{ text: role === 'system' ? systemAsUser(content) : content }];
}

function user(parts: Part[]): Content {
  return { role: 'user', parts };
}

/** Neighbours of one role are one content, so that all results of a batch answer it together. */
function merge(contents: Content[]): Content[] {
  const merged: { role: string; parts: Part[] }[] = [];
  for (const { role = 'user', parts = [] } of contents) {
    const last = merged.at(-1);
    if (last?.role === role) last.parts.push(...parts);
    else if (parts.length > 0) merged.push({ role, parts: [...parts] });
  }
  return merged;
}

/** A conversation may begin or end with what the model said; Gemini wants a user there. */
function fromUserToUser(contents: Content[]): Content[] {
  const first = contents.at(0)?.role === 'user' ? [] : [user([{ text: '(The conversation begins here.)' }])];
  const last = contents.at(-1)?.role === 'model' ? [user([{ text: 'Go on.' }])] : [];
  return [...first, ...contents, ...last];
}
