import { objectText } from '../../turn/history/as-object.ts';
import { withHostedNotes } from '../../turn/hosted/hosted-notes.ts';
import type { Message, RequestedCall } from '../../turn/message.ts';
import type { Part } from '../../turn/request/item.ts';
import { renderWithNotes } from '../parts/missing-note.ts';
import { wireIdFor } from '../wire-id.ts';
import { wireName } from '../wire-name.ts';
import { fillImages } from './hosted-images.ts';
import type { Item } from './item.ts';
import { fillText, givenIds, messageOf, readOpaque } from './opaque.ts';
import { renderPart } from './render-parts.ts';

type Assistant = Extract<Message, { role: 'assistant' }>;
type Input = Extract<Message, { role: 'user' | 'system' }>;
type Result = Extract<Message, { role: 'tool' }>;

/** The provider and the model that receive the history. `isKept`: the provider's own state is sent with it. */
export type Receiver = { provider: string; model: string; isKept: boolean };

/** The first message if the history is empty, since the wire requires an item. */
const OPENING: Item = { type: 'message', role: 'user', content: '(The conversation begins here.)' };

/**
 * Renders the history as one or more items. The items of a reply are sent to their own provider with all their
 * fields.
 */
export function renderInput(messages: Message[], receiver: Receiver): Item[] {
  const wireId = wireIdFor(receiver);
  const used = new Set<string>();
  let ids = new Map<string, string>();
  const history = withHostedNotes(messages, receiver.isKept ? receiver.provider : null);
  const items = history.flatMap((message): Item[] => {
    if (message.role === 'tool') return [resultItem(message, ids.get(message.callId) ?? wireId(message.callId))];
    if (message.role !== 'assistant') return inputMessage(message);
    const state = message.opaque?.provider === receiver.provider ? readOpaque(message.opaque.state) : [];
    ids = idsOf(message.calls, { given: givenIds(state), used, wireId });
    const isKept = receiver.isKept && !message.opaque?.isRefused && state.length > 0;
    return isKept ? replyItems(message, state, ids) : bareItems(message, ids);
  });
  return items.length > 0 ? items : [OPENING];
}

function inputMessage({ role, content, parts }: Input): Item[] {
  const said = parts ? renderWithNotes(parts, renderPart) : content;
  return said.length > 0 ? [{ type: 'message', role, content: said }] : [];
}

type IdRules = { given: Map<number, string>; used: Set<string>; wireId: (id: string) => string };

/** Returns the ids of calls on the wire, by Pawl's ids. The server's own id stays unless an earlier call has it. */
function idsOf(calls: RequestedCall[], { given, used, wireId }: IdRules): Map<string, string> {
  const ids = new Map<string, string>();
  for (const [index, { id }] of calls.entries()) {
    const own = given.get(index);
    const sent = own !== undefined && !used.has(own) ? own : unusedId(wireId(id), used);
    used.add(sent);
    ids.set(id, sent);
  }
  return ids;
}

/** Adds a number to a used id. Only earlier rounds decide about the number, so it stays the same. */
function unusedId(id: string, used: Set<string>): string {
  let sent = id;
  for (let number = 2; used.has(sent); number += 1) sent = `${id}-${number}`;
  return sent;
}

/** Renders a reply without its state: its text and its calls. */
function bareItems({ content, calls }: Assistant, ids: Map<string, string>): Item[] {
  return [...(content?.trim() ? [messageOf(content)] : []), ...calls.map((call) => callItem(call, ids))];
}

function replyItems({ content, calls, parts }: Assistant, state: Item[], ids: Map<string, string>): Item[] {
  const items = calls.map((call) => callItem(call, ids));
  const placed = new Set<number>();
  const sent = fillImages(fillText(state, content ?? ''), imagesIn(parts)).map((item): Item | null => {
    if (item?.type !== 'function_call') return item;
    const { call, ...rest } = item;
    const own = typeof call === 'number' && !placed.has(call) ? items[call] : undefined;
    if (!own) return null;
    placed.add(Number(call));
    return { ...rest, ...own };
  });
  return [...withoutLooseThoughts(sent), ...items.filter((_, index) => !placed.has(index))];
}

function imagesIn(parts: Part[] = []): string[] {
  return parts.flatMap((part) => (part.type === 'input_image' ? part.image_url : []));
}

/** Removes reasoning without its following item, which OpenAI refuses. */
function withoutLooseThoughts(items: (Item | null)[]): Item[] {
  const kept: Item[] = [];
  let isLoose = true;
  for (const item of items.toReversed()) {
    if (item?.type !== 'reasoning') isLoose = item === null;
    if (item && !isLoose) kept.push(item);
  }
  return kept.toReversed();
}

function callItem({ id, name, arguments: args }: RequestedCall, ids: Map<string, string>): Item {
  return { type: 'function_call', call_id: ids.get(id) ?? id, name: wireName(name), arguments: objectText(args) };
}

function resultItem({ content, parts }: Result, id: string): Item {
  const shown = parts ? renderWithNotes(parts, renderPart) : [];
  // Some servers refuse an empty answer.
  return { type: 'function_call_output', call_id: id, output: shown.length > 0 ? shown : content || '(no output)' };
}
