import { decodeHTMLStrict } from 'entities/decode';
import { Lexer, Marked, type MarkedToken, type Token, Tokenizer } from 'marked';

/** A formula of TeX. A block of its own is displayed larger. */
export type Formula = { type: 'formula'; raw: string; text: string; isBlock: boolean };

/** A block of Markdown, or a piece of its text. */
export type Piece = MarkedToken | Formula;

/** Quotes, lists and emphasis that are nested deeper than this stay as written. */
const MAX_DEPTH = 10;

/** The TeX of a formula has a bounded length, and holds no formula of the same kind. */
const FORMULA =
  /^(?:\$\$([\s\S]{1,2000}?)\$\$|\\\[((?:\\[^[\]]|[^\\]){1,2000}?)\\\]|\\\(((?:\\[^()\n]|[^\\\n]){1,500}?)\\\))/;

/** A longer link stays as written: the package reads up to the next space, from each link anew. */
const MAX_LINK = 2_000;

/** An address in a text, up to the next space. */
const ADDRESS = new RegExp(`^(?:https?://|www\\.)[^\\s<]{1,${MAX_LINK}}(?=[\\s<]|$)`, 'i');

/** Text up to the next character that may begin something else. */
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
    // The package searches for addresses of mail, too, in a time that grows with the square of the length.
    url(text) {
      const [address] = ADDRESS.exec(text) ?? [];
      return address === undefined ? address : Tokenizer.prototype.url.call(this, address);
    },
    inlineText: (text) => {
      const [raw] = TEXT.exec(text) ?? [];
      return raw === undefined ? raw : { type: 'text', raw, text: decodeHTMLStrict(raw) };
    },
    // Markup of HTML stays as written, and so do definitions of links: models write their sources in this form.
    html: () => undefined,
    tag: () => undefined,
    def: () => undefined,
    reflink: () => undefined,
  },
});

/**
 * Reads a text as Markdown, as models write it. Malformed Markdown stays legible as text. Links, formulas and nesting have
 * bounds, so that the work grows in proportion to the length of the text.
 */
export function readMarkdown(text: string): Piece[] {
  const lexer = new Lexer(marked.defaults);
  const rules = lexer.options.tokenizer?.rules;
  // The package searches the whole text for links to definitions, although no text has definitions here.
  if (rules) rules.inline = { ...rules.inline, reflinkSearch: NEVER };
  return piecesOf(lexer.lex(text));
}

/** The tokens as this module makes them: the package types allow any others. */
export function piecesOf(tokens: Token[] = []): Piece[] {
  return (tokens as Piece[]).filter(({ type }) => type !== 'space');
}

/** The address of a link that a model wrote, if a browser may open it. Otherwise null. */
export function webAddressOf({ href }: { href: string }): string | null {
  const address = decodeHTMLStrict(href);
  return URL.canParse(address) && /^(?:https?|mailto):/i.test(address) ? address : null;
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
