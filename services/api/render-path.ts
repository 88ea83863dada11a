import { shorten } from '#core/text.ts';

/** Characters of a path at most: keys are a caller's to choose. */
const LONGEST = 300;

/** The place of a value in a body, as callers write it: `tools[0].name`; empty for the whole body. */
export function renderPath(path: readonly PropertyKey[]): string {
  const places = path.map((part, index) =>
    typeof part === 'number' ? `[${part}]` : `${index === 0 ? '' : '.'}${shorten(String(part))}`,
  );
  return shorten(places.join(''), LONGEST);
}
