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
  const before = blocks.slice(0, index).findLastIndex((each) => ownText(each) !== '');
  const isApart = blocks.slice(before + 1, index).some(({ type }) => type !== 'text');
  return before >= 0 && isApart ? '\n\n' : '';
}

function ownText(block: Block): string {
  return block.type === 'text' ? textAt(block, 'text') : '';
}
