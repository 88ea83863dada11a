import { REPLY_BOUNDS } from '../../bounds/reply-bounds.ts';
import { parseJson } from '../../json.ts';
import { type Fields, partsIn, textIn } from '../reply/fields.ts';
import type { CallAccumulator } from '../reply/gather-calls.ts';
import { boundReply, UnusableReply } from '../unusable-reply.ts';

/** One block of a message on the wire. Blocks of unknown kinds stay unchanged. */
export type Block = Fields & { type: string };

/** The unchanged addition of one event to a block. Some servers omit the type. */
export type BlockDelta = Fields;

/** Reads the blocks of a complete message. Throws an `UnusableReply` for an unreadable block. */
export function readBlocks(content: unknown): Block[] {
  if (typeof content === 'string') return content ? [{ type: 'text', text: content }] : [];
  return partsIn(content).map(readBlock);
}

/** Reads a block as a copy, to which pieces are added. */
export function readBlock(block: Fields): Block {
  const type = textIn(block.type) ?? (typeof block.text === 'string' ? 'text' : null);
  if (type === null) throw new UnusableReply('a block without a type');
  return { ...block, type };
}

/** A block while it arrives. `call` has the input of a call, `json` any other input. */
export type BlockAccumulator = { block: Block; json: string; call: CallAccumulator | null };

/** Adds one delta to its block. Unknown deltas are ignored. */
export function takeDelta(growing: BlockAccumulator, delta: BlockDelta): void {
  const { block } = growing;
  switch (delta.type) {
    case 'text_delta':
      block.text = textAt(block, 'text') + textAt(delta, 'text');
      return;
    case 'thinking_delta':
      block.thinking = textAt(block, 'thinking') + textAt(delta, 'thinking');
      takeSignature(block, textAt(delta, 'signature'));
      return;
    case 'signature_delta':
      takeSignature(block, textAt(delta, 'signature'));
      return;
    case 'input_json_delta':
      growing.json += pieceOf(delta);
      return;
    case 'citations_delta':
      if (!Array.isArray(block.citations)) block.citations = [];
      boundReply((block.citations as unknown[]).push(delta.citation), REPLY_BOUNDS.parts, 'citations of one block');
  }
}

/** The fields of a delta that are pieces of a block, by type. */
const PIECES = { text_delta: 'text', thinking_delta: 'thinking', input_json_delta: 'partial_json' };

/** Returns a delta with its type. Some servers omit the type or send the type of the block. */
export function typedDelta(delta: BlockDelta): BlockDelta {
  if (delta.type && delta.type !== 'text' && delta.type !== 'thinking') return delta;
  const [type] = Object.entries(PIECES).find(([, field]) => delta[field]) ?? [];
  return type ? { ...delta, type } : delta;
}

/**
 * Returns whether a delta is a piece of this block. Some servers send a text under the index of the previous thought.
 */
export function takesDelta({ block }: BlockAccumulator, { type }: BlockDelta): boolean {
  if (type === 'text_delta') return block.type !== 'thinking' && block.type !== 'tool_use';
  if (type === 'thinking_delta' || type === 'signature_delta')
    return block.type !== 'text' && block.type !== 'tool_use';
  return type !== 'input_json_delta' || (block.type !== 'text' && block.type !== 'thinking');
}

/** Adds a signature. Some servers send a signature twice, or with its thought. */
function takeSignature(block: Block, signature: string): void {
  const before = textAt(block, 'signature');
  if (signature && signature !== before) block.signature = before + signature;
}

/** Returns the complete block. If an input was cut, it is the input from the start of the block. */
export function wholeBlock({ block, json }: BlockAccumulator): Block {
  const input = json ? parseJson(json) : undefined;
  return input === undefined ? block : { ...block, input };
}

/** Returns the arguments in the start of a call. Some servers write them as JSON text. */
export function givenArguments({ input }: Block): string {
  if (typeof input === 'string') return input;
  const isGiven = typeof input === 'object' && input !== null && Object.keys(input).length > 0;
  return isGiven ? JSON.stringify(input) : '';
}

/** Returns the arguments in a delta. Some servers write them as an object. */
export function pieceOf({ partial_json: piece }: BlockDelta): string {
  if (typeof piece === 'string') return piece;
  return piece === null || piece === undefined ? '' : JSON.stringify(piece);
}

/** Returns the text in a field of a block or delta, or an empty text. */
export function textAt(holder: Record<string, unknown>, field: string): string {
  const text = holder[field];
  return typeof text === 'string' ? text : '';
}

/** Returns the text of a message: its text blocks, with a blank line if the model did other work in between. */
export function textOf(blocks: readonly Block[]): string {
  return blocks.reduce((text, block, index) => text + leadOf(blocks, index) + ownText(block), '');
}

/** The bounds of a block's text in the text of its message, in UTF-16 code units. `end` is exclusive. */
export type TextBounds = { start: number; end: number };

/** Returns the bounds of each block. A block without text is at the end of the text before it. */
export function boundsOf(blocks: readonly Block[]): TextBounds[] {
  let length = 0;
  return blocks.map((block, index) => {
    const start = length + leadOf(blocks, index).length;
    length = start + ownText(block).length;
    return { start, end: length };
  });
}

/** Returns the separator before a block's text: an empty text or a blank line. */
export function leadOf(blocks: readonly Block[], index: number): string {
  const block = blocks[index];
  if (!block || !ownText(block)) return '';
  let isApart = false;
  for (let at = index - 1; at >= 0; at -= 1) {
    const before = blocks[at];
    if (before && ownText(before)) return isApart ? '\n\n' : '';
    isApart ||= before?.type !== 'text';
  }
  return '';
}

function ownText(block: Block): string {
  return block.type === 'text' ? textAt(block, 'text') : '';
}
