import { parseBoundedJson, scanJson, startJsonScan } from '../../../json.ts';

/** The most characters to read, including repeated reads, before a text counts as having no JSON. */
const MOST_LOOKED_AT = 1_000_000;

export type FoundJson = { text: string; value: unknown };

/** How many more characters are read, and whether JSON within broken JSON counts. */
export type Search = { left: number; isWithinBroken: boolean };

/**
 * Returns the outermost JSON objects and arrays in a text, in order. It returns none from within broken JSON unless
 * the search says so. Read characters are subtracted from the search, which has none left if the text was too long.
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

/** Returns the end of the bracket at `start`, or null if it is not closed. Brackets inside strings do not count. */
function endOf(text: string, start: number): number | null {
  const scan = startJsonScan();
  for (let at = start; at < text.length; at += 1) {
    if (scanJson(scan, text.charAt(at)).isClosed) return at + 1;
  }
  return null;
}

/** Returns whether a bracket begins JSON rather than prose: `{"` or `[{"`. */
function isMeant(text: string, start: number): boolean {
  return /^(\[\s*)?\{\s*"/.test(text.slice(start, start + 50));
}
