import { decodeHTMLStrict } from 'entities/decode';
import { Lexer, Marked, type MarkedToken, type Token, Tokenizer } from 'marked';

/** A formula in TeX. A block formula is displayed larger. */
export type Formula = { type: 'formula'; raw: string; text: string; isBlock: boolean };

export type Piece = MarkedToken | Formula;

/** The maximum depth of quotes, lists and emphasis. Deeper nesting stays as written. */
const MAX_DEPTH = 10;

/** The TeX of a formula has a bounded length, and holds no formula of the same kind. */
const FORMULA =
  /^(?:\$\$([\s\S]{1,2000}?)\$\$|\\\[((?:\\[^[\]]|[^\\]){1,2000}?)\\\]|\\\(((?:\\[^()\n]|[^\\\n]){1,500}?)\\\))/;

/** The length above which a link stays as written: for each link the package reads up to the next space. */
const MAX_LINK = 2_000;

/** An address in a text, up to the next space. */
const ADDRESS = new RegExp(`^(?:https?://|www\\.)[^\\s<]{1,${MAX_LINK}}(?=[\\s<]|$)`, 'i');

/** Text up to the next character that may begin another token. */
const TEXT = /^(?:[`~]+|[\s\S])(?:(?!https?:\/\/|www\.)[^\\<![\]`*~_$])*/;

const NEVER = /(?!)/g;

const marked = new Marked({
  extensions: [formulaIn('block'), formulaIn('inline')],
  tokenizer: {
    blockquote: bounded(Tokenizer.prototype.blockquote),
    list: bounded(Tokenizer.prototype.list),
    emStrong: bounded(Tokenizer.prototype.emStrong),
    del: bounded(Tokenizer.prototype.del),
    link(text) {
      return Tokenizer.prototype.link.call(this, text.slice(0, MAX_LINK));
    },
    // Skips the package's search for mail addresses. Its time grows with the square of the length.
    url(text) {
      const [address] = ADDRESS.exec(text) ?? [];
      return address === undefined ? address : Tokenizer.prototype.url.call(this, address);
    },
    inlineText: (text) => {
      const [raw] = TEXT.exec(text) ?? [];
      return raw === undefined ? raw : { type: 'text', raw, text: decodeHTMLStrict(raw) };
    },
    // HTML stays as written. Definitions of links do too, since models write their sources in this form.
    html: () => undefined,
    tag: () => undefined,
    def: () => undefined,
    reflink: () => undefined,
  },
});

/**
 * Reads a model's text as Markdown. Malformed Markdown stays legible as text. Links, formulas and nesting are
 * bounded, so that the work grows in proportion to the length of the text.
 */
export function readMarkdown(text: string): Piece[] {
  const lexer = new Lexer(marked.defaults);
  const rules = lexer.options.tokenizer?.rules;
  // The package searches the whole text for links to definitions, although no text has definitions here.
  if (rules) rules.inline = { ...rules.inline, reflinkSearch: NEVER };
  return piecesOf(lexer.lex(text));
}

/** Returns the tokens with the types of this module. The package allows any other type. */
export function piecesOf(tokens: Token[] = []): Piece[] {
  return (tokens as Piece[]).filter(({ type }) => type !== 'space');
}

/** Returns the address of a model's link if a browser may open it, otherwise null. */
export function webAddressOf({ href }: { href: string }): string | null {
  const address = decodeHTMLStrict(href);
  return URL.canParse(address) && /^(?:https?|mailto):/i.test(address) ? address : null;
}

/** Returns a tokenizer that stops matching beyond the maximum depth. The lexer then reads plain text. */
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
