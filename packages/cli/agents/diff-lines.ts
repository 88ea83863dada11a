/** A line of both texts, of the text before, or of the text after a change. */
export type DiffLine = { mark: ' ' | '-' | '+'; line: string };

/** Compares the lines of two texts. The lines between the equal lines at the start and at the end are changed. */
export function diffLines(before: string[], after: string[]): DiffLine[] {
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < most - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  const marked = (mark: DiffLine['mark'], lines: string[]) => lines.map((line) => ({ mark, line }));
  return [
    ...marked(' ', before.slice(0, start)),
    ...marked('-', before.slice(start, before.length - end)),
    ...marked('+', after.slice(start, after.length - end)),
    ...marked(' ', after.slice(after.length - end)),
  ];
}
