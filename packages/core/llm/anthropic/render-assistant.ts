import { cleanText } from '../../text.ts';
import { argumentsObject } from '../../turn/arguments-object.ts';
import type { AskedCall, Message } from '../../turn/message.ts';
import { wireName } from '../wire-name.ts';
import type { Block } from './event.ts';
import { readOpaque } from './opaque.ts';
import { textOf } from './text-of.ts';

type Spoken = Extract<Message, { role: 'assistant' }>;

/**
 * The blocks of one assistant message. Where `provider` has left state with it, its blocks go back in their order and
 * as they came; the message's own text and calls count, whatever the state says.
 */
export function renderAssistant(spoken: Spoken, provider: string): Block[] {
  const { content, calls } = spoken;
  if (!content?.trim() && calls.length === 0) return [];
  const state = spoken.opaque?.provider === provider ? readOpaque(spoken.opaque.state) : [];
  const isSame = cleanText(textOf(state)) === (content ?? '');
  const kept = isSame ? state : [...state.filter(isThought), ...textBlock(content)];
  const placed = kept
    .flatMap((block) => (block.type === 'tool_use' ? placeCall(block, calls) : [block]))
    .filter((block, index, all) => block.type !== 'tool_use' || all.findIndex(({ id }) => id === block.id) === index);
  const ids = new Set(placed.map(({ id }) => id));
  const rest = calls.filter(({ id }) => !ids.has(id)).map((call) => callBlock(call));
  return endOnWords([...placed.filter(isSaying), ...rest]);
}

/** A text as a block; blank texts are refused and say nothing. */
export function textBlock(text: string | null): Block[] {
  return text?.trim() ? [{ type: 'text', text }] : [];
}

function isThought({ type }: Block): boolean {
  return type !== 'text' && type !== 'tool_use';
}

function isSaying({ type, text }: Block): boolean {
  return type !== 'text' || (typeof text === 'string' && text.trim() !== '');
}

function placeCall({ call: place, ...rest }: Block, calls: AskedCall[]): Block[] {
  const call = typeof place === 'number' ? calls[place] : undefined;
  return call ? [{ ...rest, ...callBlock(call) }] : [];
}

function callBlock({ id, name, arguments: args }: AskedCall): Block {
  return { type: 'tool_use', id, name: wireName(name), input: argumentsObject(args) };
}

/** No message may end in a thought: what followed it was cut. */
function endOnWords(blocks: Block[]): Block[] {
  const last = blocks.findLastIndex(({ type }) => type !== 'thinking' && type !== 'redacted_thinking');
  return blocks.slice(0, last + 1);
}
