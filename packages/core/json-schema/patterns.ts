import { mapParts, recordOf, type Schema } from './parts.ts';

type Translated = { source: string; flags: string };

/**
 * Compiles a pattern, also from Python, PCRE or old JavaScript, or null for an unreadable pattern, which is not
 * checked.
 */
export function compilePattern(pattern: string): RegExp | null {
  return HAS_POSIX_CLASS.test(pattern) ? null : (compile(pattern, 'u') ?? compileTranslated(pattern));
}

/** Returns why no language reads a pattern, such as an unterminated group, or null for any other pattern. */
export function findFlaw(pattern: string): string | null {
  try {
    new RegExp(pattern);
    return null;
  } catch (error) {
    return /Unterminated [a-z ]+|Unmatched '\)'|\\ at end of pattern/.exec(String(error))?.[0] ?? null;
  }
}

/** Returns a pattern that JavaScript and Python read alike, since servers use both, or null if there is none. */
export function portablePattern(pattern: string): string | null {
  const compiled = compilePattern(pattern);
  if (compiled === null || compiled.flags !== 'u') return null;
  const source = compile(pattern, 'u') ? pattern : compiled.source;
  return ONLY_JAVASCRIPT.test(source) ? null : source;
}

/** Leaves out unreadable keys of `patternProperties`. The schema then accepts all other names. */
export function withUsablePatterns(schema: Schema): Schema {
  const inner = mapParts(schema, withUsablePatterns);
  const patterns = Object.entries(recordOf(inner.patternProperties));
  const usable = patterns.filter(([pattern]) => compilePattern(pattern) ?? findFlaw(pattern));
  if (usable.length === patterns.length) return inner;
  const { additionalProperties: _, unevaluatedProperties: __, ...open } = inner;
  return { ...open, patternProperties: Object.fromEntries(usable) };
}

/** A class such as `[[:alpha:]]`, which JavaScript reads with another meaning. */
const HAS_POSIX_CLASS = /\[:\^?[a-z]+:\]/;

/** Syntax that Python lacks: character properties, group names, lookbehind, inline flags and empty classes. */
const ONLY_JAVASCRIPT = /\\[pPkc]|\\u\{|\(\?<|\(\?[a-z-]+:|\[\^?\]/;

const NEEDS_UNICODE = /\\[pPk]|\\u\{/;

function compileTranslated(pattern: string): RegExp | null {
  const translated = translate(pattern);
  if (translated === null) return null;
  const { source, flags } = translated;
  return compile(source, `u${flags}`) ?? (NEEDS_UNICODE.test(source) ? null : compile(source, flags));
}

function compile(source: string, flags: string): RegExp | null {
  try {
    return new RegExp(source, flags);
  } catch {
    return null;
  }
}

/** Flags for the whole pattern, as Python and PCRE have them. */
const FLAGS = /^\(\?([ims]+)\)/;

/**
 * Tokens: an escape, a part of a group of Python or PCRE, a comment, or a character. Longer comments are unreadable.
 */
const TOKEN = /\\[\s\S]|\(\?P<|\(\?P=(\w{1,100})\)|\(\?#[^)]{0,200}\)|[\s\S]/gu;

function translate(pattern: string): Translated | null {
  const flags = FLAGS.exec(pattern)?.[1] ?? '';
  const body = flags ? pattern.slice(flags.length + 3) : pattern;
  let isInClass = false;
  let source = '';
  for (const [token, group = ''] of body.matchAll(TOKEN)) {
    const word = isInClass && token.length > 2 ? token : wordFor(token, group, isInClass);
    if (word === null) return null;
    source += word;
    if (token === '[') isInClass = true;
    if (token === ']') isInClass = false;
  }
  return { source, flags: [...new Set(flags)].join('') };
}

function wordFor(token: string, group: string, isInClass: boolean): string | null {
  if (token === '(?P<') return '(?<';
  if (token.startsWith('(?P=')) return `\\k<${group}>`;
  if (token.startsWith('(?#')) return '';
  if (!token.startsWith('\\')) return token;
  if (token === '\\') return null;
  const escaped = token.slice(1);
  if (!isInClass && Object.hasOwn(ENDS, escaped)) return ENDS[escaped] ?? null;
  if (/[a-z]/i.test(escaped)) return /[dDwWsSbBnrtfvxucpPk]/.test(escaped) ? token : null;
  if (/[\d^$\\.*+?()[\]{}|/]/.test(escaped)) return token;
  return escaped === '-' && isInClass ? token : escaped;
}

/** Escapes for the start and the end of the whole text, with any flags. */
const ENDS: Record<string, string> = { A: '(?<![\\s\\S])', Z: '(?![\\s\\S])', z: '(?![\\s\\S])' };
