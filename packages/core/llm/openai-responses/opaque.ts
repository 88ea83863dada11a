import { isRecord } from '../../json.ts';
import type { Fields } from '../reply/fields.ts';
import { emptyImages } from './hosted-images.ts';
import { type Item, partsOf, textPartOf, typeOf, withoutId } from './item.ts';

/**
 * The items of a reply. Texts are lengths in UTF-16 units, a call is an index with the id of its server, and the data
 * of an image is empty.
 */
export type Opaque = { items: Item[] };

/** An item of a reply, and the index of its call among the calls of the round, or null for any other item. */
export type PlacedItem = { item: Item; call: number | null };

/** Returns the state to store with a reply, or null if the reply has no items. */
export function opaqueOf(placed: readonly PlacedItem[]): Opaque | null {
  const items = placed
    .filter(isSent)
    .map(storedItem)
    .filter((item) => item !== null);
  return items.length > 0 ? { items } : null;
}

/**
 * Returns whether an item is sent back. Reasoning without content and calls that the round does not have are omitted.
 */
function isSent({ item, call }: PlacedItem): boolean {
  const type = typeOf(item);
  if (type === 'function_call') return call !== null;
  return type !== 'reasoning' || Boolean(item.encrypted_content) || hasParts(item.content);
}

function hasParts(content: unknown): boolean {
  return Array.isArray(content) && content.length > 0;
}

function storedItem({ item, call }: PlacedItem): Item | null {
  const sent = withoutId(item);
  if (typeOf(item) === 'message') return { ...sent, type: 'message', content: partsOf(item).map(withLength) };
  if (call === null) return emptyImages(sent);
  const { name: _name, arguments: _arguments, ...rest } = sent;
  return { ...rest, call };
}

function withLength(part: Fields): Fields {
  const said = textPartOf(part);
  return said ? { ...part, [said.field]: said.text.length } : part;
}

const NOTHING: Item[] = [];

/** Reads the items of a stored state. A state of another kind has none. */
export function readOpaque(state: unknown): Item[] {
  const items = isRecord(state) ? state.items : null;
  return Array.isArray(items) && items.every(isRecord) ? items : NOTHING;
}

/** Returns the ids that the server gave to the calls of a round, by the indexes of the calls. */
export function givenIds(items: readonly Item[]): Map<number, string> {
  const ids = new Map<number, string>();
  for (const { call, call_id: id } of items) {
    if (typeof call === 'number' && typeof id === 'string' && id !== '') ids.set(call, id);
  }
  return ids;
}

/** Fills the text of a round into its state. A text of another length was changed, so it becomes one message. */
export function fillText(items: readonly Item[], text: string): Item[] {
  const lengths = items.flatMap((item) => partsIn(item).map((part) => lengthOf(part) ?? 0));
  const isChanged = lengths.reduce((sum, length) => sum + length, 0) !== text.length;
  if (isChanged) return withOneMessage(items, text);
  let at = 0;
  const fill = (part: Fields): Fields[] => {
    const length = lengthOf(part);
    if (length === null) return [part];
    const said = text.slice(at, at + length);
    at += length;
    return said === '' ? [] : [{ ...part, [typeof part.refusal === 'number' ? 'refusal' : 'text']: said }];
  };
  return items.flatMap((item) => {
    if (item.type !== 'message') return [item];
    const content = partsIn(item).flatMap(fill);
    return content.length > 0 ? [{ ...item, content }] : [];
  });
}

function partsIn({ type, content }: Item): Fields[] {
  return type === 'message' && Array.isArray(content) ? content.filter(isRecord) : [];
}

function lengthOf({ text, refusal }: Fields): number | null {
  if (typeof refusal === 'number') return refusal;
  return typeof text === 'number' ? text : null;
}

function withOneMessage(items: readonly Item[], text: string): Item[] {
  const isOther = ({ type }: Item) => type !== 'message';
  const first = items.findIndex(({ type }) => type === 'message' || type === 'function_call');
  const at = first === -1 ? items.length : first;
  const said = text.trim() === '' ? [] : [messageOf(text)];
  return [...items.slice(0, at).filter(isOther), ...said, ...items.slice(at).filter(isOther)];
}

export function messageOf(text: string): Item {
  return { type: 'message', role: 'assistant', content: [{ type: 'output_text', text, annotations: [] }] };
}
