/** Code without its comments and texts: every quoted text is `"0"`, `"1"` …, its index in `texts`. */
export type MaskedCode = { code: string; texts: string[] };

const COMMENT = /\/\/[^\n]*|\/\*[\s\S]*?\*\//;
const TEXT = /'(?:\\[\s\S]|[^'\\\n])*'|"(?:\\[\s\S]|[^"\\\n])*"/;
// A slash divides unless the token before it cannot be divided.
const PATTERN =
  /(?<=(?:^|[(,=:[!&|?{;+*%<>-]|\b(?:return|case|typeof|in|of))\s*)\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/\w*/;
const REST = /[\w$]+|\s+|[\s\S]/;
const CODE = new RegExp([COMMENT, TEXT, PATTERN, REST].map(({ source }) => source).join('|'), 'y');
const TEMPLATE = /(?:\\[\s\S]|\$(?!\{)|[^\\`$])*(?:`|\$\{|$)/y;

/** Masks comments and texts. It reads just enough TypeScript to distinguish code from text that looks like code. */
export function maskCode(source: string): MaskedCode {
  const masked: MaskedCode = { code: '', texts: [] };
  readCode(source, 0, masked);
  return masked;
}

/** Reads up to the brace that closes the brace at `start`, or to the end. Returns that position. */
function readCode(source: string, start: number, masked: MaskedCode): number {
  let depth = 0;
  for (let at = start; at < source.length; ) {
    const token = take(CODE, source, at);
    at += token.length;
    if (token === '{') depth += 1;
    if (token === '}') depth -= 1;
    if (depth < 0) return at;
    if (token === '`') at = readTemplate(source, at, masked);
    else masked.code += mask(token, masked.texts);
  }
  return source.length;
}

/** Reads a template from after its first backtick. The content of `${…}` is code again. */
function readTemplate(source: string, start: number, masked: MaskedCode): number {
  masked.code += ' ` ';
  const text = take(TEMPLATE, source, start);
  const end = start + text.length;
  return text.endsWith('${') ? readTemplate(source, readCode(source, end, masked), masked) : end;
}

function mask(token: string, texts: string[]): string {
  if (/^['"]./.test(token)) return `"${texts.push(token.slice(1, -1)) - 1}"`;
  return /^\/./.test(token) ? ' ' : token;
}

function take(pattern: RegExp, source: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(source)?.[0] ?? '';
}
