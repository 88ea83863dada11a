import { withoutFence } from './text.ts';

/** Returns whether a value is an object with keys, neither a list nor null. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns whether every object of JavaScript has a property of this name, which a given name would hide. */
export function isReserved(name: string): boolean {
  return name in {} || name === 'prototype';
}

export const RESERVED = 'this name is reserved, choose another';

/** Returns the value of a JSON text, or undefined if it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * The maximum depth of JSON. Deeper nesting can be read but not written again, since a walk through it exhausts the
 * stack.
 */
const DEEPEST = 100;

/** Returns the JSON object of a text, or null for any other text and for nesting of more than 100 levels. */
export function jsonObject(text: string): Record<string, unknown> | null {
  const value = parseJson(text);
  return isRecord(value) && isShallow(value) ? value : null;
}

function isShallow(value: unknown, levels = DEEPEST): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((inner) => isShallow(inner, levels - 1));
}

/**
 * Returns a JSON text with sorted keys. A text that is not JSON, or nested more than 100 levels deep, does not
 * change.
 */
export function canonicalJson(text: string): string {
  return canonicalText(parseJson(text)) ?? text;
}

/** Returns a JSON value in that spelling, or undefined if it is not JSON or is nested more than 100 levels deep. */
export function canonicalText(value: unknown): string | undefined {
  return isShallow(value) ? JSON.stringify(sorted(value)) : undefined;
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, sorted(inner)]));
}

/** The maximum depth and number of values of external JSON. A text with more is not parsed. */
export const JSON_LIMITS = { depth: 100, values: 250_000 };

/**
 * Returns the limit that a JSON text exceeds, without parsing it: `more than 100 levels of JSON`. Returns null if it
 * fits.
 */
export function exceedsJson(text: string, { depth, values } = JSON_LIMITS): string | null {
  // Most texts have few brackets and pass here, which costs a tenth of a scan.
  if (text.length <= values && countBrackets(text, depth) <= depth) return null;
  return excessOf(scanJson(startJsonScan(), text), { depth, values });
}

/** Returns the limit that a scan has exceeded so far, in the same words. */
export function excessOf({ deepest, values: count }: JsonScan, { depth, values } = JSON_LIMITS): string | null {
  if (deepest > depth) return `more than ${depth.toLocaleString('en')} levels of JSON`;
  return count > values ? `more than ${values.toLocaleString('en')} JSON values` : null;
}

/** Counts the brackets that open in a text, also within its strings, up to `most` + 1. */
function countBrackets(text: string, most: number): number {
  let count = 0;
  for (const bracket of ['{', '[']) {
    for (let at = text.indexOf(bracket); at !== -1 && count <= most; at = text.indexOf(bracket, at + 1)) count += 1;
  }
  return count;
}

/** Parses a JSON text of unknown size. Returns undefined if it is not JSON or exceeds `JSON_LIMITS`. */
export function parseBoundedJson(text: string): unknown {
  return exceedsJson(text) ? undefined : parseJson(text);
}

/** The ends of thoughts, whole or without their marks. Many servers leave out the mark at the beginning. */
const END_OF_THOUGHTS =
  /<\/(?:think(?:ing)?|thoughts?|reason(?:ing)?|seed:think)>|◁\/think▷|\[\/think\]|<\|end_thinking\|>|<\|channel\|>final[^<]{0,40}(?:<\|constrain\|>[^<]{0,40})?<\|message\|>|assistantfinal/gi;

/** The maximum of ends of thoughts to try. Each try reads the rest of the text. */
const MOST_ENDS = 20;

/**
 * Returns a text without the thoughts before its answer. A JSON text has no thoughts, even if its strings contain
 * marks. Otherwise the answer is the first JSON after an end of thoughts, or all text after the last end.
 */
export function withoutThoughts(text: string): string {
  const ends = [...text.matchAll(END_OF_THOUGHTS)].map(({ 0: mark, index }) => index + mark.length);
  const last = ends.at(-1);
  if (last === undefined || isJson(text)) return text;
  const start = ends.slice(0, MOST_ENDS).find((end) => isJson(answerAt(text, end)));
  return answerAt(text, start ?? last);
}

function answerAt(text: string, start: number): string {
  const answer = text.slice(start).trim();
  return answer.endsWith('|>') ? answer.replace(/<\|(?:return|end)\|>$/, '') : answer;
}

function isJson(text: string): boolean {
  return parseBoundedJson(withoutFence(text)) !== undefined;
}

/** The state of a scan that reads a JSON text once, chunk by chunk, without creating its values. */
export type JsonScan = {
  depth: number;
  deepest: number;
  /** The number of lists, objects and values between commas. */
  values: number;
  inString: boolean;
  isEscaped: boolean;
  /** Whether the first list, object or text is whole. Only white space may follow. */
  isClosed: boolean;
};

export function startJsonScan(): JsonScan {
  return { depth: 0, deepest: 0, values: 0, inString: false, isEscaped: false, isClosed: false };
}

/** Reads another chunk, as text or as UTF-8. A text that is not JSON is counted as if it were. */
export function scanJson(scan: JsonScan, chunk: string | Uint8Array): JsonScan {
  const isText = typeof chunk === 'string';
  for (let at = 0; at < chunk.length; at += 1) take(scan, isText ? chunk.charCodeAt(at) : (chunk[at] ?? 0));
  return scan;
}

const QUOTE = 34;
const COMMA = 44;
const BACKSLASH = 92;

function take(scan: JsonScan, code: number): void {
  if (scan.inString) takeInString(scan, code);
  else if (code === QUOTE) scan.inString = true;
  else if (code === COMMA) scan.values += 1;
  else if (isOpening(code)) {
    scan.values += 1;
    scan.depth += 1;
    if (scan.depth > scan.deepest) scan.deepest = scan.depth;
  } else if (isClosing(code)) {
    scan.depth -= 1;
    scan.isClosed ||= scan.depth <= 0;
  }
}

function takeInString(scan: JsonScan, code: number): void {
  if (scan.isEscaped) scan.isEscaped = false;
  else if (code === BACKSLASH) scan.isEscaped = true;
  else if (code === QUOTE) {
    scan.inString = false;
    scan.isClosed ||= scan.depth === 0;
  }
}

function isOpening(code: number): boolean {
  return code === 91 || code === 123;
}

function isClosing(code: number): boolean {
  return code === 93 || code === 125;
}
