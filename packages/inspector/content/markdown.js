/** @import { Inline } from './markdown-inline.js' */
import { readInline } from './markdown-inline.js';

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

const FENCE = /^ {0,3}(`{3,}|~{3,})[ \t]*([\w+#.-]*)[^`]*$/;
const HEADING = /^ {0,3}(#{1,6})[ \t]+(.*)$/;
const RULE = /^ {0,3}([-*_])[ \t]*(?:\1[ \t]*){2,}$/;
const QUOTE = /^ {0,3}> ?/;
const ITEM = /^( *)([-*+]|\d{1,9}[.)])([ \t]+|$)/;
const DASHES = /^ *\|?(?: *:?-+:? *\|)* *:?-+:? *\|? *$/;

/** Quotes and lists within each other beyond this are read as text. */
const MAX_DEPTH = 8;

/**
 * Reads a text as Markdown, as models write it: what is broken off or malformed stays legible as text.
 * @param {string} text
 * @returns {Block[]}
 */
export function readMarkdown(text) {
  return readBlocks(text.replaceAll('\r\n', '\n').replaceAll('\t', '    ').split('\n'), 0);
}

/**
 * @param {string[]} lines
 * @param {number} depth
 * @returns {Block[]}
 */
function readBlocks(lines, depth) {
  /** @type {Block[]} */
  const blocks = [];
  for (let at = 0; at < lines.length; ) {
    if (isBlank(lines[at])) at += 1;
    else {
      const { block, end } = blockAt(lines, at, depth);
      blocks.push(block);
      at = end;
    }
  }
  return blocks;
}

/** @typedef {{ block: Block, end: number }} Read */

/**
 * @param {string[]} lines
 * @param {number} at
 * @param {number} depth
 * @returns {Read}
 */
function blockAt(lines, at, depth) {
  const line = lines[at] ?? '';
  const heading = HEADING.exec(line);
  if (heading) {
    const inside = readInline((heading[2] ?? '').replace(/ #+ *$/, ''));
    return { block: { kind: 'heading', level: heading[1]?.length ?? 1, inside }, end: at + 1 };
  }
  if (RULE.test(line)) return { block: { kind: 'rule' }, end: at + 1 };
  if (FENCE.test(line)) return codeAt(lines, at);
  if (depth < MAX_DEPTH && QUOTE.test(line)) return quoteAt(lines, at, depth);
  if (depth < MAX_DEPTH && ITEM.test(line)) return listAt(lines, at, depth);
  return isTable(lines, at) ? tableAt(lines, at) : paragraphAt(lines, at, depth);
}

/** @param {string | undefined} line */
function isBlank(line) {
  return line === undefined || line.trim() === '';
}

/**
 * @param {string[]} lines
 * @param {number} at
 * @returns {Read}
 */
function codeAt(lines, at) {
  const [, mark = '', language = ''] = FENCE.exec(lines[at] ?? '') ?? [];
  const isEnd = (/** @type {string} */ line) => line.trim().startsWith(mark) && /^(`+|~+)$/.test(line.trim());
  const found = lines.findIndex((line, index) => index > at && isEnd(line));
  const end = found === -1 ? lines.length : found;
  return { block: { kind: 'code', language, text: lines.slice(at + 1, end).join('\n') }, end: end + 1 };
}

/**
 * @param {string[]} lines
 * @param {number} at
 * @param {number} depth
 * @returns {Read}
 */
function quoteAt(lines, at, depth) {
  const end = endOf(lines, at, (line) => QUOTE.test(line));
  const inside = lines.slice(at, end).map((line) => line.replace(QUOTE, ''));
  return { block: { kind: 'quote', blocks: readBlocks(inside, depth + 1) }, end };
}

/**
 * The first line from `at` that does not belong to what begins there.
 * @param {string[]} lines
 * @param {number} at
 * @param {(line: string, index: number) => boolean} belongs
 */
function endOf(lines, at, belongs) {
  const found = lines.findIndex((line, index) => index > at && !belongs(line, index));
  return found === -1 ? lines.length : found;
}

/**
 * @param {string[]} lines
 * @param {number} at
 * @param {number} depth
 * @returns {Read}
 */
function listAt(lines, at, depth) {
  const [, , first = ''] = ITEM.exec(lines[at] ?? '') ?? [];
  const isOrdered = /\d/.test(first);
  /** @type {Block[][]} */
  const items = [];
  let end = at;
  for (let item = itemAt(lines, end, isOrdered); item; item = itemAt(lines, end, isOrdered)) {
    items.push(readBlocks(item.lines, depth + 1));
    end = item.end;
  }
  return { block: { kind: 'list', start: isOrdered ? Number.parseInt(first, 10) : null, items }, end };
}

/**
 * The next item of a list, with the lines that are indented below it; null where the list is over.
 * @param {string[]} lines
 * @param {number} from
 * @param {boolean} isOrdered
 */
function itemAt(lines, from, isOrdered) {
  let at = from;
  while (at < lines.length && isBlank(lines[at])) at += 1;
  const line = lines[at] ?? '';
  const [marked = '', indent = '', mark = ''] = ITEM.exec(line) ?? [];
  if (mark === '' || /\d/.test(mark) !== isOrdered || RULE.test(line)) return null;
  const isInside = (/** @type {string} */ below) => below.startsWith(' '.repeat(indent.length + 2));
  const isLazy = (/** @type {string} */ below, /** @type {number} */ index) =>
    !isBlank(below) && !isBlank(lines[index - 1]) && !beginsBlock(below);
  const end = endOf(lines, at, (below, index) => {
    if (isBlank(below)) return isInside(lines[index + 1] ?? '');
    return isInside(below) || isLazy(below, index);
  });
  const rest = lines.slice(at + 1, end).map((below) => below.slice(Math.min(marked.length, below.search(/\S|$/))));
  return { lines: [line.slice(marked.length), ...rest], end };
}

/** @param {string} line */
function beginsBlock(line) {
  return [FENCE, HEADING, RULE, QUOTE, ITEM].some((pattern) => pattern.test(line));
}

/**
 * @param {string[]} lines
 * @param {number} at
 */
function isTable(lines, at) {
  const below = lines[at + 1] ?? '';
  return (lines[at] ?? '').includes('|') && below.includes('-') && below.includes('|') && DASHES.test(below);
}

/**
 * @param {string[]} lines
 * @param {number} at
 * @returns {Read}
 */
function tableAt(lines, at) {
  const end = endOf(lines, at + 1, (line) => line.includes('|'));
  const rows = [lines[at] ?? '', ...lines.slice(at + 2, end)].map(cellsOf);
  const width = rows[0]?.length ?? 0;
  return { block: { kind: 'table', rows: rows.map((row) => row.slice(0, width).map(readInline)) }, end };
}

/** @param {string} line */
function cellsOf(line) {
  const trimmed = line.trim().replace(/^\|/, '').replace(/\|$/, '');
  return trimmed.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|'));
}

/**
 * @param {string[]} lines
 * @param {number} at
 * @param {number} depth
 * @returns {Read}
 */
function paragraphAt(lines, at, depth) {
  const isOver = (/** @type {string} */ line) => isBlank(line) || (depth < MAX_DEPTH && beginsBlock(line));
  const end = endOf(lines, at, (line, index) => !isOver(line) && !isTable(lines, index));
  const text = lines
    .slice(at, end)
    .map((line) => line.trim())
    .join('\n');
  return { block: { kind: 'paragraph', inside: readInline(text) }, end };
}
