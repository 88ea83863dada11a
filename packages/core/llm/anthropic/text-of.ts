import type { Block } from './event.ts';
import { textAt } from './gather-block.ts';

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
