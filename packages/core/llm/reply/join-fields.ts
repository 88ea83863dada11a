import { REPLY_BOUNDS } from '../../bounds/reply-bounds.ts';
import { isRecord } from '../../json.ts';
import { boundReply } from '../unusable-reply.ts';
import type { Fields } from './fields.ts';

/**
 * Adds the fields of a delta to the fields before. Texts in pieces grow: reasoning with each piece, others unless the
 * piece is the same again. Lists of blocks are joined block by block. The last value of any other field counts. Null
 * counts as missing.
 */
export function joinFields(fields: Fields, delta: Fields): void {
  for (const [name, value] of given(delta)) {
    if (value !== null && value !== undefined) fields[name] = joined(name, fields[name], value);
  }
}

/**
 * Returns the received fields. A field named like the prototype of all objects would change every object of the
 * process.
 */
function given(delta: Fields): [string, unknown][] {
  return Object.entries(delta).filter(([name]) => name !== '__proto__');
}

function joined(name: string, before: unknown, value: unknown): unknown {
  if (Array.isArray(value)) return joinBlocks(Array.isArray(before) ? before : [], value);
  if (typeof before === 'string' && typeof value === 'string') {
    return GROWS.test(name) && (value !== before || REASONING.has(name)) ? before + value : value;
  }
  if (!isRecord(value)) return value;
  const fields = isRecord(before) ? before : {};
  joinFields(fields, value);
  return fields;
}

/** Texts in pieces. Others are labels, such as `channel` or `status`. */
const GROWS = /reason|thought|thinking|signature|opaque|encrypted|data|content|text|summary/i;

const REASONING = new Set(['reasoning', 'reasoning_content', 'reasoning_text', 'thinking', 'thought']);

/** Adds blocks to a list: a piece of the last block extends it, every other block follows. */
function joinBlocks(blocks: unknown[], pieces: readonly unknown[]): unknown[] {
  for (const piece of pieces) {
    const last = blocks.at(-1);
    if (isRecord(last) && isRecord(piece) && continues(last, piece)) growBlock(last, piece);
    else boundReply(blocks.push(isRecord(piece) ? { ...piece } : piece), REPLY_BOUNDS.parts, 'details of reasoning');
  }
  return blocks;
}

/** Returns whether a piece has the kind, index and id of a block. A signature ends a block. Data arrives complete. */
function continues(block: Fields, piece: Fields): boolean {
  if (block.type !== piece.type || block.index !== piece.index) return false;
  if (block.id && piece.id && block.id !== piece.id) return false;
  const isIndexed = typeof block.index === 'number';
  if (!isIndexed && block.data && piece.data) return false;
  return isIndexed || !block.signature || !opens(piece);
}

/** Returns whether a piece has text, which a signed block cannot take. */
function opens(piece: Fields): boolean {
  return WORDS.some((field) => Boolean(piece[field]));
}

const WORDS = ['text', 'thinking', 'summary'];
const GROWING = [...WORDS, 'data', 'signature'];

function growBlock(block: Fields, piece: Fields): void {
  for (const [field, value] of given(piece)) {
    if (value === null || value === '') continue;
    const before = block[field];
    const grows = GROWING.includes(field) && typeof before === 'string' && typeof value === 'string';
    block[field] = grows ? before + value : value;
  }
}
