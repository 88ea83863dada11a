import { Marked, type MarkedToken, type Token, Tokenizer } from 'marked';

/** A formula of TeX. A block of its own is displayed larger. */
export type Formula = { type: 'formula'; raw: string; text: string; isBlock: boolean };

/** A block of Markdown, or a piece of its text. */
export type Piece = MarkedToken | Formula;

/** Quotes, lists and emphasis that are nested deeper than this stay as written. */
const MAX_DEPTH = 10;

/** A formula has a bounded length, and no character that reverses the order of the text. */
const FORMULA =
  /^(?:\$\$([^\u202a-\u202e\u2066-\u2069]{1,2000}?)\$\$|\\\[([^\u202a-\u202e\u2066-\u2069]{1,2000}?)\\\]|\\\(([^\n\u202a-\u202e\u2066-\u2069]{1,500}?)\\\))/;

const ADDRESS = /^(?:https?:\/\/|www\.)/i;

/** Text up to the next character that may begin something else. */
const TEXT = /^(?:[`~]+|[\s\S])(?:(?!https?:\/\/|www\.)[^\\<![\]`*~_$])*/;

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00a0' };

const marked = new Marked({
  extensions: [formulaIn('block'), formulaIn('inline')],
  tokenizer: {
    blockquote: bounded(Tokenizer.prototype.blockquote),
    list: bounded(Tokenizer.prototype.list),
    emStrong: bounded(Tokenizer.prototype.emStrong),
    del: bounded(Tokenizer.prototype.del),
    // The package searches for addresses of mail, too, in a time that grows with the square of the length.
    url: (text) => (ADDRESS.test(text) ? false : undefined),
    inlineText: (text) => {
      const [raw] = TEXT.exec(text) ?? [];
      return raw === undefined ? raw : { type: 'text', raw, text: decoded(raw) };
    },
    // Markup of HTML stays as written, and so do definitions of links: models write their sources in this form.
    html: () => undefined,
    tag: () => undefined,
    def: () => undefined,
  },
});

/**
 * Reads a text as Markdown, as models write it. Malformed Markdown stays legible as text. The work grows in proportion
 * to the length of the text, whatever its content is.
 */
export function readMarkdown(text: string): Piece[] {
  return piecesOf(marked.lexer(text));
}

/** The tokens as this module makes them: the package types allow any others. */
export function piecesOf(tokens: Token[] = []): Piece[] {
  return (tokens as Piece[]).filter(({ type }) => type !== 'space');
}

/** Whether a browser may open an address that a model wrote. */
export function isWebAddress(address: string): boolean {
  return URL.canParse(address) && /^(?:https?|mailto):/i.test(address);
}

/** A tokenizer that does not match beyond the maximum depth: the lexer then reads the text as plain. */
function bounded<Args extends unknown[], Made>(read: (...args: Args) => Made) {
  let depth = 0;
  return function readBounded(this: object, ...args: Args): Made | undefined {
    if (depth === MAX_DEPTH) return undefined;
    depth += 1;
    try {
      return read.apply(this, args);
    } finally {
      depth -= 1;
    }
  };
}

function formulaIn(level: 'block' | 'inline') {
  const tokenizer = (source: string): Formula | undefined => {
    const [raw = '', dollars, brackets, inline] = FORMULA.exec(source) ?? [];
    const text = dollars ?? brackets ?? inline;
    const isAlone = inline === undefined && /^[ \t]*(?:\n|$)/.test(source.slice(raw.length, raw.length + 100));
    if (text === undefined || (level === 'block' && !isAlone)) return undefined;
    return { type: 'formula', raw, text: text.trim(), isBlock: inline === undefined };
  };
  return { name: 'formula', level, tokenizer };
}

/** The characters of a text that HTML writes as references. An unknown reference stays as written. */
function decoded(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,4}));/gi, (written, decimal, hex, name) => {
    const code = decimal ? Number(decimal) : Number.parseInt(hex, 16);
    if (name) return ENTITIES[name] ?? written;
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : written;
  });
}
