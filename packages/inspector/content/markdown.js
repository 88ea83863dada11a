/** @import { Token } from 'markdown-it' */
import MarkdownIt from './markdown-it.js';

/**
 * A block of Markdown. Cells of a table are rows of texts, the first of which names the columns.
 * @typedef {{ kind: 'paragraph', inside: Inline[] }
 *   | { kind: 'heading', level: number, inside: Inline[] }
 *   | { kind: 'code', language: string, text: string }
 *   | { kind: 'quote', blocks: Block[] }
 *   | { kind: 'list', start: number | null, items: Block[][] }
 *   | { kind: 'table', rows: Inline[][][] }
 *   | { kind: 'rule' }} Block
 */

/**
 * A piece of a line of Markdown. An address is one that a browser may open, and leads out of the page.
 * @typedef {{ kind: 'text' | 'code', text: string }
 *   | { kind: 'strong' | 'em' | 'del', inside: Inline[] }
 *   | { kind: 'link', href: string, inside: Inline[] }} Inline
 */

/** Quotes and lists nested deeper than this are shown as they are written. */
const MAX_DEPTH = 40;

/** Definitions of links stay legible as text: a model's sources are often written so. */
const parser = new MarkdownIt({ linkify: true, maxNesting: MAX_DEPTH }).disable('reference');
parser.linkify.set({ fuzzyEmail: false });
parser.validateLink = (address) => URL.canParse(address) && /^(?:https?|mailto):/i.test(address);

/**
 * Reads a text as Markdown, as models write it: what is broken off or malformed stays legible as text. The work grows
 * with the length of the text, whatever it holds.
 * @param {string} text
 * @returns {Block[]}
 */
export function readMarkdown(text) {
  const lines = text.split(/\r\n?|\n/);
  return treeOf(parser.parse(text, {})).map((branch) =>
    isTooDeep(branch) ? asWritten(branch, lines) : blockOf(branch),
  );
}

/**
 * A token with the tokens between it and its end.
 * @typedef {{ token: Token, inside: Branch[] }} Branch
 */

/**
 * @param {Token[]} tokens
 * @returns {Branch[]}
 */
function treeOf(tokens) {
  /** @type {Branch[]} */
  const top = [];
  const open = [top];
  for (const token of tokens) {
    if (token.nesting < 0) open.pop();
    else {
      /** @type {Branch} */
      const branch = { token, inside: [] };
      open.at(-1)?.push(branch);
      if (token.nesting > 0) open.push(branch.inside);
    }
  }
  return top;
}

/**
 * The parser leaves out what is nested deeper.
 * @param {Branch} branch
 * @returns {boolean}
 */
function isTooDeep({ token, inside }) {
  return token.level >= MAX_DEPTH - 1 || inside.some(isTooDeep);
}

/**
 * @param {Branch} branch
 * @param {string[]} lines
 * @returns {Block}
 */
function asWritten({ token }, lines) {
  return { kind: 'paragraph', inside: [{ kind: 'text', text: lines.slice(...(token.map ?? [])).join('\n') }] };
}

/**
 * @param {Branch} branch
 * @returns {Block}
 */
function blockOf({ token, inside }) {
  switch (token.type) {
    case 'heading_open':
      return { kind: 'heading', level: Number(token.tag.slice(1)), inside: textOf(inside) };
    case 'fence':
    case 'code_block': {
      const [language = ''] = token.info.trim().split(/\s/);
      return { kind: 'code', language, text: token.content.replace(/\n$/, '') };
    }
    case 'blockquote_open':
      return { kind: 'quote', blocks: inside.map(blockOf) };
    case 'bullet_list_open':
      return { kind: 'list', start: null, items: inside.map((item) => item.inside.map(blockOf)) };
    case 'ordered_list_open': {
      const start = Number(token.attrGet('start') ?? 1);
      return { kind: 'list', start, items: inside.map((item) => item.inside.map(blockOf)) };
    }
    case 'table_open': {
      const rows = inside.flatMap((part) => part.inside);
      return { kind: 'table', rows: rows.map((row) => row.inside.map((cell) => textOf(cell.inside))) };
    }
    case 'hr':
      return { kind: 'rule' };
    default:
      return { kind: 'paragraph', inside: textOf(inside) };
  }
}

/**
 * The text of a block that holds a single one.
 * @param {Branch[]} inside
 */
function textOf([text]) {
  return treeOf(text?.token.children ?? []).map(inlineOf);
}

/**
 * @param {Branch} branch
 * @returns {Inline}
 */
function inlineOf({ token, inside }) {
  switch (token.type) {
    case 'strong_open':
      return { kind: 'strong', inside: inside.map(inlineOf) };
    case 'em_open':
      return { kind: 'em', inside: inside.map(inlineOf) };
    case 's_open':
      return { kind: 'del', inside: inside.map(inlineOf) };
    case 'link_open':
      return { kind: 'link', href: String(token.attrGet('href')), inside: inside.map(inlineOf) };
    case 'image':
      return pictureOf(token);
    case 'code_inline':
      return { kind: 'code', text: token.content };
    case 'softbreak':
    case 'hardbreak':
      return { kind: 'text', text: '\n' };
    default:
      return { kind: 'text', text: token.content };
  }
}

/**
 * A picture is a link to it: the page loads nothing from other hosts.
 * @param {Token} token
 * @returns {Inline}
 */
function pictureOf(token) {
  const href = String(token.attrGet('src'));
  return { kind: 'link', href, inside: [{ kind: 'text', text: token.content || href }] };
}
