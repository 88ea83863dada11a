import { parseBoundedJson, scanJson, startJsonScan } from '../../../json.ts';

/** Characters that are looked at, some of them again and again, before a text counts as having no JSON in it. */
const MOST_LOOKED_AT = 1_000_000;

/** A piece of JSON and what it says. */
export type FoundJson = { text: string; value: unknown };

/** How many more characters are looked at, and whether JSON counts that stands within some that is broken. */
export type Search = { left: number; isWithinBroken: boolean };

/**
 * The JSON objects and arrays that stand in a text, in order and outermost. Nothing comes from within one that is
 * broken off, unless the search says so. What was looked at is taken from the search; it has none left where the text
 * was too much.
 */
export function findJson(text: string, search = startSearch()): FoundJson[] {
  const found: FoundJson[] = [];
  const brackets = /[{[]/g;
  while (search.left > 0) {
    const start = brackets.exec(text)?.index;
    if (start === undefined) break;
    const end = endOf(text, start);
    search.left -= (end ?? text.length) - start;
    const value = end === null ? undefined : parseBoundedJson(text.slice(start, end));
    if (value !== undefined && end !== null) found.push({ text: text.slice(start, end), value });
    if (value === undefined && (search.isWithinBroken || !isMeant(text, start))) continue;
    if (end === null) break;
    brackets.lastIndex = end;
  }
  return found;
}

function startSearch(): Search {
  return { left: MOST_LOOKED_AT, isWithinBroken: false };
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
