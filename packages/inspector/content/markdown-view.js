/**
 * @import { Part } from '../base/parts.js'
 * @import { Block, Inline } from './markdown.js'
 * @import { Child } from '../base/element.js'
 */
import { actionButton } from '../base/controls.js';
import { codeBlock, element } from '../base/element.js';
import { readMarkdown } from './markdown.js';

/** A longer text shows its beginning, and the rest when a reader requests it: a browser lays out this much at once. */
const SHOWN_CHARS = 50_000;

/**
 * Shows a text as Markdown. Each element is made from a token, so that no text becomes markup. Links open elsewhere.
 * @param {string} text
 */
export function markdownView(text) {
  const made = element('div', { class: 'markdown' }, readMarkdown(beginningOf(text)).map(blockView));
  if (text.length <= SHOWN_CHARS) return made;
  const showAll = async () =>
    made.replaceWith(element('div', { class: 'markdown' }, readMarkdown(text).map(blockView)));
  made.append(actionButton(`Show all ${text.length.toLocaleString('en')} characters`, showAll));
  return made;
}

/**
 * The blocks of a text that grows: those that stay keep their elements, so that they can be read and selected meanwhile.
 * @param {string} text
 * @returns {Part[]}
 */
export function markdownParts(text) {
  const blocks = readMarkdown(beginningOf(text));
  const parts = blocks.map((block, index) => ({ key: String(index), state: block, make: () => blockView(block) }));
  const rest = text.length - SHOWN_CHARS;
  if (rest <= 0) return parts;
  const words = `${rest.toLocaleString('en')} more characters. They are shown when the text is complete.`;
  return [...parts, { key: 'rest', state: words, make: () => element('p', { class: 'meta' }, words) }];
}

/**
 * The beginning of a text that is shown at once: whole lines, if a line ends in it.
 * @param {string} text
 */
function beginningOf(text) {
  if (text.length <= SHOWN_CHARS) return text;
  return text.slice(0, text.lastIndexOf('\n', SHOWN_CHARS) + 1 || SHOWN_CHARS);
}

/**
 * @param {Block} block
 * @returns {HTMLElement}
 */
function blockView(block) {
  switch (block.kind) {
    case 'paragraph':
      return element('p', {}, block.inside.map(inlineView));
    case 'heading':
      // The page has headings of its own above: those of a text begin below them.
      return element(
        'p',
        { class: `h h${block.level}`, role: 'heading', 'aria-level': 3 },
        block.inside.map(inlineView),
      );
    case 'code':
      return codeBlock(block.text, block.language ? `Code in ${block.language}` : 'Code');
    case 'quote':
      return element('blockquote', {}, block.blocks.map(blockView));
    case 'list':
      return listView(block);
    case 'table':
      return tableView(block.rows);
    case 'rule':
      return element('hr');
  }
}

/** @param {Extract<Block, { kind: 'list' }>} list */
function listView({ start, items }) {
  const made = items.map((blocks) => element('li', {}, itemView(blocks)));
  return start === null ? element('ul', {}, made) : element('ol', { start }, made);
}

/**
 * The first line of an item stands beside its mark, and is no paragraph of its own.
 * @param {Block[]} blocks
 * @returns {Child[]}
 */
function itemView([first, ...rest]) {
  if (first?.kind !== 'paragraph') return (first ? [first, ...rest] : rest).map(blockView);
  return [element('span', {}, first.inside.map(inlineView)), ...rest.map(blockView)];
}

/** @param {Inline[][][]} rows */
function tableView([head = [], ...rows]) {
  const row = (/** @type {'th' | 'td'} */ cell, /** @type {Inline[][]} */ cells) =>
    element(
      'tr',
      {},
      cells.map((inside) => element(cell, cell === 'th' ? { scope: 'col' } : {}, inside.map(inlineView))),
    );
  const table = element(
    'table',
    {},
    element('thead', {}, row('th', head)),
    element(
      'tbody',
      {},
      rows.map((cells) => row('td', cells)),
    ),
  );
  return element('div', { class: 'wide-table', tabindex: 0, role: 'region', 'aria-label': 'Table' }, table);
}

/**
 * @param {Inline} inline
 * @returns {Child}
 */
function inlineView(inline) {
  switch (inline.kind) {
    case 'text':
      return inline.text;
    case 'code':
      return element('code', {}, inline.text);
    case 'link': {
      const elsewhere = { href: inline.href, target: '_blank', rel: 'noopener noreferrer' };
      return element('a', elsewhere, inline.inside.map(inlineView));
    }
    default:
      return element(inline.kind, {}, inline.inside.map(inlineView));
  }
}
