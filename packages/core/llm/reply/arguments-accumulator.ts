import { canonicalJson, isRecord, type JsonScan, parseJson, scanJson, startJsonScan } from '../../json.ts';

/** The arguments of a call while they arrive: joined, and in case each piece repeats all pieces before it. */
export type ArgumentsAccumulator = {
  text: string;
  /** The last piece, as long as each piece began with the piece before it. Null after the first other piece. */
  latest: string | null;
  repeats: number;
  /** How far `text` was read, and whether it cannot become JSON any more. */
  scan: JsonScan;
  isBroken: boolean;
  /** The complete text with its canonical spelling, cached after the check. */
  whole: { text: string; canonical: string } | null;
};

export function startArguments(): ArgumentsAccumulator {
  return { text: '', latest: '', repeats: 0, scan: startJsonScan(), isBroken: false, whole: null };
}

/** The number of cumulative pieces that is no coincidence. From then on only the last piece is kept. */
const SURELY_CUMULATIVE = 8;

/** Adds a piece and returns its new text. A piece that repeats the text before it adds only the rest. */
export function addPiece(args: ArgumentsAccumulator, piece: string): string {
  const { latest } = args;
  if (!piece.trim()) return append(args, piece);
  if (latest === null) return append(args, piece);
  if (!isBlank(latest) && !piece.startsWith(latest)) {
    args.latest = null;
    return append(args, piece);
  }
  args.latest = piece;
  if (isBlank(latest) || piece === latest) return append(args, piece);
  args.repeats += 1;
  if (args.repeats < SURELY_CUMULATIVE) append(args, piece);
  else args.text = piece;
  return piece.slice(latest.length);
}

/** Replaces the arguments by new arguments from the server. */
export function restartArguments(args: ArgumentsAccumulator): void {
  Object.assign(args, startArguments());
}

function append(args: ArgumentsAccumulator, piece: string): string {
  args.text += piece;
  scanJson(args.scan, piece);
  return piece;
}

/**
 * Returns whether a text means no arguments. Some servers send an empty object or another word before or after the
 * arguments.
 */
function isBlank(text: string): boolean {
  return text.length < LONGEST_PLAIN && /^\s*(\{\s*\}|\[\s*\]|null|"")?\s*$/.test(text);
}

/** Returns whether no arguments have arrived, or only an empty object. */
export function hasNoArguments({ text }: ArgumentsAccumulator): boolean {
  return text.length < LONGEST_PLAIN && isBlank(text);
}

/** Returns whether the arguments are one complete JSON value. The text is parsed only after all brackets are closed. */
export function hasWholeArguments(args: ArgumentsAccumulator): boolean {
  const { text, scan } = args;
  if (args.whole?.text === text) return true;
  if (args.isBroken || (!scan.isClosed && text.length > LONGEST_PLAIN)) return false;
  const isWhole = parseJson(text) !== undefined;
  args.isBroken = scan.isClosed && !isWhole;
  if (isWhole) args.whole = { text, canonical: canonicalJson(text.trim()) };
  return isWhole;
}

/** The most characters of a number or a word, which has no brackets. */
const LONGEST_PLAIN = 64;

/** Returns whether a text equals the complete arguments so far. */
export function isRepeated({ whole }: ArgumentsAccumulator, again: string): boolean {
  return whole !== null && parseJson(again) !== undefined && canonicalJson(again.trim()) === whole.canonical;
}

/**
 * Returns the arguments byte for byte as the model wrote them. If all pieces together are not JSON, the server
 * repeated some: each piece has all before it, the end has the whole, or the start has an empty object. The
 * repetition is removed.
 */
export function settleArguments({ text, latest, scan }: ArgumentsAccumulator): string {
  if (!text.trim() || parseJson(text) !== undefined) return text;
  if (latest && parseJson(latest) !== undefined) return latest;
  return (scan.isClosed ? onlyValueIn(text) : null) ?? text;
}

/**
 * Returns arguments as an object if a server writes them in another way: `null`, an empty list or an empty text for
 * none, or an object as a JSON text. Any other text stays unchanged.
 */
export function unwrapArguments(text: string): string {
  if (/^\s*\{/.test(text)) return text;
  const value = text.trim() ? parseJson(text) : null;
  if (value === null || value === '' || (Array.isArray(value) && value.length === 0)) return '{}';
  const isWritten = typeof value === 'string' && /^\s*["{[n]/.test(value) && parseJson(value) !== undefined;
  return isWritten ? unwrapArguments(value) : text;
}

/**
 * Returns the one object that a text of several objects repeats, beside words for no arguments. Null if there are
 * several objects, or none.
 */
function onlyValueIn(text: string): string | null {
  const values = valuesIn(text.replace(/^\s*null\b/, ''));
  const [first, ...rest] = values ?? [];
  if (first && isRecord(parseJson(first)) && STRAY.test(rest.join(''))) return first;
  if (!values?.every((value) => isBlank(value) || isRecord(parseJson(value)))) return null;
  const said = values.filter((value) => !isBlank(value));
  const distinct = new Set(said.map(canonicalJson));
  if (distinct.size > 1) return null;
  return said.at(-1) ?? values.at(-1) ?? null;
}

/** Brackets and marks of a model's format after complete arguments. */
const STRAY = /^(?:[\s}\]]|<\|[^|<>]{0,40}\|>|<\/\w{1,40}>)*$/;

/** Returns the consecutive JSON values in a text. Null if there are too many for a repetition. */
function valuesIn(text: string): string[] | null {
  const values: string[] = [];
  let from = 0;
  let scan = startJsonScan();
  for (let at = 0; at < text.length; at += 1) {
    if (!scanJson(scan, text.charAt(at)).isClosed) continue;
    if (values.push(text.slice(from, at + 1)) > MOST_VALUES) return null;
    from = at + 1;
    scan = startJsonScan();
  }
  return text.slice(from).trim() ? [...values, text.slice(from)] : values;
}

const MOST_VALUES = 100;
