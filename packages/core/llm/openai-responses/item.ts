import { type Fields, partsIn, textIn, wordIn } from '../reply/fields.ts';

/** One item of a reply, with all its fields. */
export type Item = Fields;

/** A part of a message that has text: its field, and the text. */
export type TextPart = { field: 'text' | 'refusal'; text: string; fields: Fields };

/** The types of items with an `id` and a `status` only while the server stores them. */
const WITHOUT_ID = new Set(['message', 'reasoning', 'function_call']);

/**
 * Returns an item for later requests to its server. Hosted calls keep their id and status, which their types require.
 */
export function withoutId(item: Item): Item {
  if (!WITHOUT_ID.has(typeOf(item))) return item;
  const { id: _id, status: _status, ...rest } = item;
  return rest;
}

/** Returns the type of an item or a part. Servers may omit the type of a message. */
export function typeOf({ type, role }: Fields): string {
  return wordIn(type) ?? (role === 'assistant' ? 'message' : '');
}

/** Returns the parts of a message. Some servers send a text instead of parts. */
export function partsOf({ content }: Item): Fields[] {
  return typeof content === 'string' ? [{ type: 'output_text', text: content }] : partsIn(content);
}

/** Reads a part of a message, or returns null if it has another type or no text. */
export function textPartOf(part: Fields): TextPart | null {
  const type = wordIn(part.type) ?? (part.refusal ? 'refusal' : 'text');
  const field = type === 'refusal' ? 'refusal' : 'text';
  const text = TEXTS.has(type) ? textIn(part[field]) : null;
  return text === null ? null : { field, text, fields: part };
}

const TEXTS = new Set(['output_text', 'text', 'refusal']);

/** Returns the reasoning that an item shows: its summary, or its own words if it has no summary. */
export function thoughtOf({ summary, content }: Item): string {
  return joinTexts(summary) || joinTexts(content);
}

function joinTexts(parts: unknown): string {
  if (!Array.isArray(parts)) return textIn(parts) ?? '';
  return parts
    .map((part) => textIn((part as Fields | null)?.text) ?? '')
    .filter(Boolean)
    .join('\n\n');
}
