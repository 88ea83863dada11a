/** A line of two texts: in both texts, only in the text before, or only in the text after. */
export type Line = { kind: 'equal' | 'removed' | 'added'; text: string };

/** The largest table of compared lines. Larger texts show all lines as removed, then all as added. */
const MOST_CELLS = 4_000_000;

/** Returns the lines of two texts in their order, with the fewest removed and added lines. */
export function lineDifference(before: string, after: string): Line[] {
  const [old, now] = [linesOf(before), linesOf(after)];
  const start = equalCount(old, now);
  const end = equalCount(old.slice(start).reverse(), now.slice(start).reverse());
  return [
    ...asLines('equal', old.slice(0, start)),
    ...middleOf(old.slice(start, old.length - end), now.slice(start, now.length - end)),
    ...asLines('equal', old.slice(old.length - end)),
  ];
}

function linesOf(text: string): string[] {
  return text === '' ? [] : text.split('\n');
}

function equalCount(old: string[], now: string[]): number {
  const first = old.findIndex((line, at) => line !== now[at]);
  return first === -1 ? old.length : first;
}

function asLines(kind: Line['kind'], texts: string[]): Line[] {
  return texts.map((text) => ({ kind, text }));
}

function middleOf(old: string[], now: string[]): Line[] {
  if (old.length * now.length > MOST_CELLS) return [...asLines('removed', old), ...asLines('added', now)];
  const common = commonLengths(old, now);
  const lines: Line[] = [];
  let [a, b] = [0, 0];
  while (a < old.length && b < now.length) {
    const kind = kindOf(old[a] === now[b], common(a + 1, b) >= common(a, b + 1));
    lines.push({ kind, text: (kind === 'added' ? now[b] : old[a]) ?? '' });
    if (kind !== 'added') a += 1;
    if (kind !== 'removed') b += 1;
  }
  return [...lines, ...asLines('removed', old.slice(a)), ...asLines('added', now.slice(b))];
}

function kindOf(isEqual: boolean, isRemoved: boolean): Line['kind'] {
  if (isEqual) return 'equal';
  return isRemoved ? 'removed' : 'added';
}

/** Returns, for two positions, the number of lines that the rests of both texts have in common. */
function commonLengths(old: string[], now: string[]): (a: number, b: number) => number {
  const width = now.length + 1;
  const table = new Uint32Array((old.length + 1) * width);
  const at = (a: number, b: number) => table[a * width + b] ?? 0;
  for (let a = old.length - 1; a >= 0; a -= 1)
    for (let b = now.length - 1; b >= 0; b -= 1)
      table[a * width + b] = old[a] === now[b] ? at(a + 1, b + 1) + 1 : Math.max(at(a + 1, b), at(a, b + 1));
  return at;
}
