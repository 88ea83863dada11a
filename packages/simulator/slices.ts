import type { Flaw } from './reply.ts';

/** Cuts a text into slices of `size` characters, without splitting surrogate pairs. */
export function slices(text: string, size: number): string[] {
  const chunks: string[] = [];
  for (let start = 0; start < text.length; ) {
    const end = start + size + (splitsPair(text, start + size) ? 1 : 0);
    chunks.push(text.slice(start, end));
    start = end;
  }
  return chunks;
}

/** Returns whether a cut here would split a surrogate pair, which vendors never do. */
function splitsPair(text: string, at: number): boolean {
  return (text.codePointAt(at - 1) ?? 0) > 0xffff;
}

/** Orders the deltas of several calls row by row, so that the calls arrive side by side. */
export function sideBySide<Delta>(calls: Delta[][]): Delta[] {
  const longest = Math.max(0, ...calls.map((call) => call.length));
  return Array.from({ length: longest }, (_, row) => calls.flatMap((call) => call.slice(row, row + 1))).flat();
}

/** Keeps the deltas before a flaw, counted in characters. The last text may be cut in two. */
export function shownOf<Delta extends object>(deltas: Delta[], flaw: Flaw | null): Delta[] {
  const shown: Delta[] = [];
  let left = flaw && 'after_chars' in flaw ? (flaw.after_chars ?? 0) : Number.POSITIVE_INFINITY;
  for (const delta of deltas) {
    if (left <= 0) break;
    const text = 'text' in delta && typeof delta.text === 'string' ? delta.text : null;
    shown.push(text === null ? delta : { ...delta, text: text.slice(0, left) });
    left -= text?.length ?? 0;
  }
  return shown;
}
