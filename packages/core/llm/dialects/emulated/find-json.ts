import { scanJson, startJsonScan } from '../../../scan-json.ts';
import { parseFitting } from './parse-fitting.ts';

/** Characters that are looked at, some of them again and again, before a text counts as having no JSON in it. */
const MOST_LOOKED_AT = 1_000_000;

/** A piece of JSON and what it says. */
export type FoundJson = { text: string; value: unknown };

/** The JSON objects and arrays that stand in a text, in order and outermost; nothing from within one that is broken off. */
export function findJson(text: string): FoundJson[] {
  const found: FoundJson[] = [];
  const brackets = /[{[]/g;
  for (let lookedAt = 0; lookedAt < MOST_LOOKED_AT; ) {
    const start = brackets.exec(text)?.index;
    if (start === undefined) break;
    const end = endOf(text, start);
    lookedAt += (end ?? text.length) - start;
    const value = end === null ? undefined : parseFitting(text.slice(start, end));
    if (value !== undefined && end !== null) found.push({ text: text.slice(start, end), value });
    if (value === undefined && !isMeant(text, start)) continue;
    if (end === null) break;
    brackets.lastIndex = end;
  }
  return found;
}

/** Where the bracket at `start` is closed; null where it is not. Brackets inside strings do not count. */
function endOf(text: string, start: number): number | null {
  const scan = startJsonScan();
  for (let at = start; at < text.length; at += 1) {
    if (scanJson(scan, text.charAt(at)).isClosed) return at + 1;
  }
  return null;
}

/** Whether something was meant to be JSON here, rather than a bracket in prose: `{"` or `[{"`. */
function isMeant(text: string, start: number): boolean {
  return /^(\[\s*)?\{\s*"/.test(text.slice(start, start + 50));
}
