/** White space that is not shown yet: before a marker that was cut out, and after it. */
export type Gap = { before: string; after: string; isCut: boolean };

/** No white space, and no marker in it. */
export const NO_GAP: Gap = { before: '', after: '', isCut: false };

/** The gap with one more character of white space. */
export function widenGap(gap: Gap, space: string): Gap {
  return gap.isCut ? { ...gap, after: gap.after + space } : { ...gap, before: gap.before + space };
}

/** The gap with one more marker cut out of it. */
export function cutGap({ before, after }: Gap): Gap {
  const isWider = linesIn(before) > linesIn(after) || after === '';
  return { before: isWider ? before : after, after: '', isCut: true };
}

/**
 * What is left of a gap when the text goes on with `next`: all of it without a marker in it; with one, whichever
 * side parts the text more, so that neither words are glued together nor empty lines pile up.
 */
export function closeGap({ before, after, isCut }: Gap, next: string): string {
  if (!isCut || linesIn(before) > linesIn(after)) return before;
  const isGlued = after === '' && !/[.,;:!?)\]}]/.test(next);
  return isGlued ? before : after;
}

function linesIn(text: string): number {
  return text.split('\n').length;
}
