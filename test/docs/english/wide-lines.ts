import { readFileSync } from 'node:fs';

/** Lines of Markdown, SQL and comments have at most this many columns. Biome formats all other code. */
const COLUMNS = 120;

/** Returns the numbers of the lines of a file that are too wide. */
export function wideLinesOf(path: string): number[] {
  const lines = readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8').split('\n');
  return lines.flatMap((line, index) => (isWide(path, line) ? [index + 1] : []));
}

function isWide(path: string, line: string): boolean {
  return line.length > COLUMNS && (/\.(?:md|sql)$/.test(path) || /^\s*(?:\/\/|\/?\*)/.test(line));
}
