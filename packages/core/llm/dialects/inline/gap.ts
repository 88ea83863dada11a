/** White space that is not shown yet: before a marker that was cut out, and after it, with the line ends in each. */
export type Gap = { before: string; after: string; isCut: boolean; linesBefore: number; linesAfter: number };

/** No white space, and no marker in it. */
export const NO_GAP: Gap = { before: '', after: '', isCut: false, linesBefore: 0, linesAfter: 0 };

/** The gap with one more character of white space. */
export function widenGap(gap: Gap, space: string): Gap {
  const lines = space === '\n' ? 1 : 0;
  if (gap.isCut) return { ...gap, after: gap.after + space, linesAfter: gap.linesAfter + lines };
  return { ...gap, before: gap.before + space, linesBefore: gap.linesBefore + lines };
}

/** The gap with one more marker cut out of it. */
export function cutGap({ before, after, linesBefore, linesAfter }: Gap): Gap {
  const isWider = linesBefore > linesAfter || after === '';
  const kept = isWider ? { before, linesBefore } : { before: after, linesBefore: linesAfter };
  return { ...kept, after: '', linesAfter: 0, isCut: true };
}

/**
 * What is left of a gap when the text goes on with `next`: all of it without a marker in it; with one, whichever
 * side parts the text more, so that neither words are glued together nor empty lines pile up.
 */
export function closeGap({ before, after, isCut, linesBefore, linesAfter }: Gap, next: string): string {
  if (!isCut || linesBefore > linesAfter) return before;
  const isGlued = after === '' && !/[.,;:!?)\]}]/.test(next);
  return isGlued ? before : after;
}
