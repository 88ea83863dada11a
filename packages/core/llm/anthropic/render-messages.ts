import { cleanText } from '../../text.ts';
import { argumentsAsObject } from '../../turn/history/as-object.ts';
import { systemAsUser } from '../../turn/history/system-prompt.ts';
import { noted } from '../../turn/hosted/hosted-notes.ts';
import type { Message, RequestedCall } from '../../turn/message.ts';
import { renderWithNotes } from '../parts/missing-note.ts';
import { AS_IT_CAME, type ThoughtState } from '../refusals/thought-state.ts';
import { wireName } from '../wire-name.ts';
import { type Block, textOf } from './block.ts';
import { settleServerCalls } from './hosted/settle-server-calls.ts';
import { readOpaque } from './opaque.ts';
import { renderPart } from './render-parts.ts';

export type WireMessage = { role: 'user' | 'assistant'; content: Block[] };

/** The body of a Messages request. The provider options may add any field. */
export type Body = Record<string, unknown> & {
  model: string;
  max_tokens: number;
  messages: WireMessage[];
  stream: true;
};

/** How the state of earlier replies is sent. */
type HistoryState = ThoughtState & {
  /** Whether the provider may still run calls of its tools that have no result. True by default. */
  mayResume?: boolean;
};

/** The user's message at the start of a history without a user's message there. */
const OPENING: Block = { type: 'text', text: '(The conversation begins here.)' };

/**
 * Renders the history for this wire: alternating roles, starting with the user, without blank text. The results of a
 * batch are first in the user message after their calls. The caller places the first system messages. Later system
 * messages become marked user text, since most models refuse them.
 */
export function renderMessages(messages: Message[], provider: string, state: HistoryState = AS_IT_CAME): WireMessage[] {
  const rendered = withWireIds(messages, provider).map((message) => render(message, provider, state));
  const settled = settleServerCalls(rendered, state.isKept && (state.mayResume ?? true));
  const said = settled.map(endOnWords).filter(({ content }) => content.length > 0);
  const merged = said.map(trimPrefill).reduce(merge, []);
  const opened: WireMessage[] = merged[0]?.role === 'user' ? merged : [{ role: 'user', content: [OPENING] }, ...merged];
  return opened;
}

/** Returns the history with the blocks of a paused reply at its end, or null if the reply has no block to send. */
export function withPaused(messages: WireMessage[], blocks: Block[]): WireMessage[] | null {
  const said = endOnWords({ role: 'assistant', content: blocks.filter(isSaying) });
  return said.content.length > 0 ? merge(messages, trimPrefill(said)) : null;
}

function render(message: Message, provider: string, state: HistoryState): WireMessage {
  switch (message.role) {
    case 'user':
      return { role: 'user', content: renderInput(message) };
    case 'system':
      return { role: 'user', content: message.content.trim() ? textBlock(systemAsUser(message.content)) : [] };
    case 'assistant': {
      const isKept = state.isKept && !message.opaque?.isRefused;
      const content = renderAssistant(isKept ? message : noted(message), provider, isKept);
      return { role: 'assistant', content: state.isFilled ? withThought(content) : content };
    }
    case 'tool':
      return { role: 'user', content: [resultBlock(message)] };
  }
}

function renderInput({ content, parts }: Extract<Message, { role: 'user' | 'system' }>): Block[] {
  return parts ? renderWithNotes(parts, renderPart) : textBlock(content);
}

function resultBlock({ callId, content, isError, parts }: Extract<Message, { role: 'tool' }>): Block {
  const blocks = parts ? renderWithNotes(parts, renderPart) : [];
  const text = content.trim() ? content : '(no output)';
  const answer = { type: 'tool_result', tool_use_id: callId, content: blocks.length > 0 ? blocks : text };
  return isError ? { ...answer, is_error: true } : answer;
}

function merge(messages: WireMessage[], next: WireMessage): WireMessage[] {
  const last = messages.at(-1);
  if (last?.role !== next.role) return [...messages, next];
  return [...messages.slice(0, -1), { ...last, content: [...last.content, ...next.content] }];
}

/** Removes white space at the end of a message that the model continues. Later requests keep the sent text. */
function trimPrefill(message: WireMessage, index = 0, messages: WireMessage[] = []): WireMessage {
  const end = message.content.at(-1);
  const isPrefill = message.role === 'assistant' && messages[index + 1]?.role !== 'user';
  if (!isPrefill || typeof end?.text !== 'string') return message;
  return { ...message, content: message.content.with(-1, { ...end, text: end.text.trimEnd() }) };
}

type Spoken = Extract<Message, { role: 'assistant' }>;

/** Renders an assistant message with the blocks of its provider. The message's own text and calls count. */
function renderAssistant(spoken: Spoken, provider: string, isKept: boolean): Block[] {
  const { content, calls } = spoken;
  const state = spoken.opaque?.provider === provider ? readOpaque(spoken.opaque.state) : [];
  const isSame = cleanText(textOf(state)) === (content ?? '');
  const own = isKept ? state : state.flatMap(bareBlock);
  const kept = isSame ? own : [...own.filter(isThought), ...textBlock(content)];
  const placed = kept
    .flatMap((block) => (block.type === 'tool_use' ? placeCall(block, calls) : [block]))
    .filter((block, index, all) => block.type !== 'tool_use' || all.findIndex(({ id }) => id === block.id) === index);
  const ids = new Set(placed.map(({ id }) => id));
  const rest = calls.filter(({ id }) => !ids.has(id)).map((call) => callBlock(call));
  return [...placed.filter(isSaying), ...rest];
}

/** Returns a block without the state that the provider refused: its texts and the places of its calls. */
function bareBlock({ citations: _citations, caller: _caller, ...block }: Block): Block[] {
  return isThought(block) ? [] : [block];
}

/** Returns a text as a block, without blank texts, which the wire refuses. */
function textBlock(text: string | null): Block[] {
  return text?.trim() ? [{ type: 'text', text }] : [];
}

function isThought({ type }: Block): boolean {
  return type !== 'text' && type !== 'tool_use';
}

function isSaying({ type, text }: Block): boolean {
  return type !== 'text' || (typeof text === 'string' && text.trim() !== '');
}

function placeCall({ call: place, ...rest }: Block, calls: RequestedCall[]): Block[] {
  const call = typeof place === 'number' ? calls[place] : undefined;
  return call ? [{ ...rest, ...callBlock(call) }] : [];
}

function callBlock({ id, name, arguments: args }: RequestedCall): Block {
  return { type: 'tool_use', id, name: wireName(name), input: argumentsAsObject(args) };
}

function isThinking({ type }: Block): boolean {
  return type === 'thinking' || type === 'redacted_thinking';
}

/** Adds an empty thought to a round with calls, for servers that require thoughts there. */
function withThought(blocks: Block[]): Block[] {
  const isMissing = blocks.some(({ type }) => type === 'tool_use') && !blocks.some(isThinking);
  return isMissing ? [{ type: 'thinking', thinking: '', signature: '' }, ...blocks] : blocks;
}

/** Removes thoughts at the end of a message of the model, since the content after them was cut. */
function endOnWords(message: WireMessage): WireMessage {
  const last = message.content.findLastIndex((block) => !isThinking(block));
  return last === message.content.length - 1 ? message : { ...message, content: message.content.slice(0, last + 1) };
}

/**
 * Returns the history with valid and unique ids. An id may have letters, digits, `_` and `-`. Turns and providers
 * choose ids independently, so a repeated id gets a number. Other ids of this provider stay.
 */
function withWireIds(messages: Message[], provider: string): Message[] {
  const used = new Set<string>();
  let renamed = new Map<string, string>();
  return messages.map((message): Message => {
    if (message.role === 'tool') return { ...message, callId: renamed.get(message.callId) ?? wireName(message.callId) };
    if (message.role !== 'assistant') return message;
    const given = givenIds(message, provider);
    renamed = new Map(
      message.calls.map(({ id }, index) => [id, freshId({ id: wireName(id), given: given[index] }, used)]),
    );
    const calls = message.calls.map((call) => ({ ...call, id: renamed.get(call.id) ?? call.id }));
    return { ...message, calls };
  });
}

/** Returns the provider's ids of calls that Pawl had to replace, by the index of the call. */
function givenIds({ opaque }: Spoken, provider: string): (string | undefined)[] {
  const given: (string | undefined)[] = [];
  if (opaque?.provider !== provider) return given;
  for (const { type, call, id } of readOpaque(opaque.state)) {
    if (type === 'tool_use' && typeof call === 'number' && typeof id === 'string') given[call] = id;
  }
  return given;
}

function freshId({ id, given = id }: { id: string; given: string | undefined }, used: Set<string>): string {
  let fresh = used.has(given) ? id : given;
  for (let number = 2; used.has(fresh); number += 1) fresh = `${id}-${number}`;
  used.add(fresh);
  return fresh;
}
