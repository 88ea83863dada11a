/**
 * What stands within a line of Markdown. An address is one that a browser may open, and leads out of the page.
 * @typedef {{ kind: 'text' | 'code', text: string }
 *   | { kind: 'strong' | 'em' | 'del', inside: Inline[] }
 *   | { kind: 'link', href: string, inside: Inline[] }} Inline
 */

/** A longer text stays as it is written: its marks would take long to pair. */
const MAX_CHARS = 10_000;

const MAX_DEPTH = 6;

/** @type {Record<string, 'strong' | 'em' | 'del'>} */
const MARKS = { '**': 'strong', __: 'strong', '~~': 'del', '*': 'em', _: 'em' };

const LINK = /!?\[((?:[^[\]\\]|\\.)*)\]\(\s*<?((?:[^\s()<>]|\([^\s()<>]*\))*)>?(?:\s+"[^"]*")?\s*\)/y;
const ADDRESS = /https?:\/\/[^\s<>"'`|)\]}]+/y;
const ESCAPED = /\\[!-/:-@[-`{-~]/y;
const PLAIN = /[^\\`*_~![h]+|./sy;

/**
 * Reads code, emphasis and links of a text; what is no pair of marks stays as it is written.
 * @param {string} text
 * @returns {Inline[]}
 */
export function readInline(text) {
  return text.length > MAX_CHARS ? [{ kind: 'text', text }] : readWithin(text, 0);
}

/**
 * @param {string} text
 * @param {number} depth
 * @returns {Inline[]}
 */
function readWithin(text, depth) {
  /** @type {Inline[]} */
  const found = [];
  for (let at = 0; at < text.length; ) {
    const token = tokenAt(text, at, depth);
    const last = found.at(-1);
    if (token.inline.kind === 'text' && last?.kind === 'text') last.text += token.inline.text;
    else found.push(token.inline);
    at = token.end;
  }
  return found;
}

/** @typedef {{ inline: Inline, end: number }} Token */

/**
 * @param {string} text
 * @param {number} at
 * @param {number} depth
 * @returns {Token}
 */
function tokenAt(text, at, depth) {
  const escaped = match(ESCAPED, text, at);
  if (escaped) return { inline: { kind: 'text', text: escaped[0].slice(1) }, end: at + 2 };
  const special =
    codeAt(text, at) ?? (depth < MAX_DEPTH ? (linkAt(text, at, depth) ?? markedAt(text, at, depth)) : null);
  if (special) return special;
  const plain = match(PLAIN, text, at)?.[0] ?? '';
  return { inline: { kind: 'text', text: plain }, end: at + plain.length };
}

/**
 * @param {RegExp} pattern a sticky one
 * @param {string} text
 * @param {number} at
 */
function match(pattern, text, at) {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

/**
 * @param {string} text
 * @param {number} at
 * @returns {Token | null}
 */
function codeAt(text, at) {
  if (text[at] !== '`') return null;
  const mark = match(/`+/y, text, at)?.[0] ?? '';
  const from = at + mark.length;
  let to = text.indexOf(mark, from);
  while (to !== -1 && text[to + mark.length] === '`') {
    while (text[to] === '`') to += 1;
    to = text.indexOf(mark, to);
  }
  if (to === -1) return { inline: { kind: 'text', text: mark }, end: from };
  return { inline: { kind: 'code', text: text.slice(from, to).replace(/^ (.*) $/s, '$1') }, end: to + mark.length };
}

/**
 * @param {string} text
 * @param {number} at
 * @param {number} depth
 * @returns {Token | null}
 */
function linkAt(text, at, depth) {
  const named = match(LINK, text, at);
  if (named) {
    const [whole, name = '', address = ''] = named;
    const href = safeHref(address);
    const inside = readWithin(name || address, depth + 1);
    return href ? { inline: { kind: 'link', href, inside }, end: at + whole.length } : null;
  }
  const isWithinWord = at > 0 && /\w/.test(text[at - 1] ?? '');
  const address = isWithinWord ? undefined : match(ADDRESS, text, at)?.[0].replace(/[.,;:!?*_~]+$/, '');
  const href = address && safeHref(address);
  if (!href) return null;
  return { inline: { kind: 'link', href, inside: [{ kind: 'text', text: address }] }, end: at + address.length };
}

/**
 * An address that may be opened at a click; null for scripts, data and what is relative to this page.
 * @param {string} address
 */
function safeHref(address) {
  try {
    return ['http:', 'https:', 'mailto:'].includes(new URL(address).protocol) ? address : null;
  } catch {
    return null;
  }
}

/**
 * @param {string} text
 * @param {number} at
 * @param {number} depth
 * @returns {Token | null}
 */
function markedAt(text, at, depth) {
  const mark = Object.keys(MARKS).find((one) => text.startsWith(one, at));
  const kind = mark && MARKS[mark];
  if (!mark || !kind) return null;
  const from = at + mark.length;
  const isOpening = /\S/.test(text[from] ?? '') && !(mark[0] === '_' && /\w/.test(text[at - 1] ?? ''));
  const to = isOpening ? closingAt(text, mark, from) : -1;
  if (to === -1) return { inline: { kind: 'text', text: mark }, end: from };
  return { inline: { kind, inside: readWithin(text.slice(from, to), depth + 1) }, end: to + mark.length };
}

/**
 * @param {string} text
 * @param {string} mark
 * @param {number} from
 */
function closingAt(text, mark, from) {
  const [sign = ''] = mark;
  for (let to = text.indexOf(mark, from + 1); to !== -1; to = text.indexOf(mark, to)) {
    const end = to + mark.length;
    const isWithinWord = sign === '_' && /\w/.test(text[end] ?? '');
    const isLonger = mark.length === 1 && text[end] === sign;
    if (/[^\s\\]/.test(text[to - 1] ?? '') && !isWithinWord && !isLonger) return to;
    to = end + (isLonger ? 1 : 0);
  }
  return -1;
}
