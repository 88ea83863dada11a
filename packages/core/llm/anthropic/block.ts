import { REPLY_BOUNDS } from '../../bounds/reply-bounds.ts';
import { parseJson } from '../../json.ts';
import { type Fields, partsIn, textIn } from '../reply/fields.ts';
import type { CallAccumulator } from '../reply/gather-calls.ts';
import { boundReply, UnusableReply } from '../unusable-reply.ts';

/** One block of a message as the wire has it. A block of an unknown kind is kept as it came. */
export type Block = Fields & { type: string };

/** The addition of one event to a block, as it came. Some servers leave the type out. */
export type BlockDelta = Fields;

/** Reads the blocks of a message that came whole. They have to be readable, else it throws an `UnusableReply`. */
export function readBlocks(content: unknown): Block[] {
  if (typeof content === 'string') return content ? [{ type: 'text', text: content }] : [];
  return partsIn(content).map(readBlock);
}

/** Reads a block. It is a copy, to which the pieces are added. */
export function readBlock(block: Fields): Block {
  const type = textIn(block.type) ?? (typeof block.text === 'string' ? 'text' : null);
  if (type === null) throw new UnusableReply('a block without a type');
  return { ...block, type };
}

/** A block while it arrives. The input of a call is gathered with `call`, any other input in `json`. */
export type BlockAccumulator = { block: Block; json: string; call: CallAccumulator | null };

/** Adds one delta to its block. What is not known changes nothing. */
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

/** Some servers send a signature twice, or with its thought. */
function takeSignature(block: Block, signature: string): void {
  const before = textAt(block, 'signature');
  if (signature && signature !== before) block.signature = before + signature;
}

/** The block as it would have come whole; an input that is cut in the middle is what its start said. */
export function wholeBlock({ block, json }: BlockAccumulator): Block {
  const input = json ? parseJson(json) : undefined;
  return input === undefined ? block : { ...block, input };
}

/** The arguments that a call brings with its block. Some servers write them as a text of JSON. */
export function givenArguments({ input }: Block): string {
  if (typeof input === 'string') return input;
  const isGiven = typeof input === 'object' && input !== null && Object.keys(input).length > 0;
  return isGiven ? JSON.stringify(input) : '';
}

/** The arguments in a delta. Some servers write them as an object. */
export function pieceOf({ partial_json: piece }: BlockDelta): string {
  if (typeof piece === 'string') return piece;
  return piece === null || piece === undefined ? '' : JSON.stringify(piece);
}

/** The text in one field of a block or a delta, empty where there is none. */
export function textAt(holder: Record<string, unknown>, field: string): string {
  const text = holder[field];
  return typeof text === 'string' ? text : '';
}

/** The text of a message: its text blocks, with a blank line where the model did something in between. */
export function textOf(blocks: readonly Block[]): string {
  return blocks.reduce((text, block, index) => text + leadOf(blocks, index) + ownText(block), '');
}

/** What stands between the text before a block and its own: nothing, or a blank line. */
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
