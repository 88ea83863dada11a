/** The context of a place in a Markdown text. A span is closed on its line. `ticks` backticks opened it. */
export type CodePlace = {
  code: 'none' | 'fence' | 'span';
  ticks: number;
  /** Backticks right before this place. The next character or the end decides their meaning. */
  run: number;
  /** Whether only white space and the marks of quotes and lists precede that run on its line. */
  isLineStart: boolean;
  /** Whether the line opens a fence. The same number of backticks on it would make it inline code. */
  isOpening: boolean;
  /** Whether the line closes the fence if only white space follows. */
  isClosing: boolean;
};

export function startOfText(): CodePlace {
  return { code: 'none', ticks: 0, run: 0, isLineStart: true, isOpening: false, isClosing: false };
}

export function passChar(place: CodePlace, char: string): CodePlace {
  if (char === '`') return { ...place, run: place.run + 1 };
  const settled = settleTicks(place);
  if (char === '\n') return nextLine(settled);
  if (settled.isClosing && !/\s/.test(char)) return { ...settled, isClosing: false, isLineStart: false };
  return settled.isLineStart && !/[\s>*+-]/.test(char) ? { ...settled, isLineStart: false } : settled;
}

/** Returns the place if no further backtick follows. */
export function settleTicks(place: CodePlace): CodePlace {
  const { code, ticks, run, isLineStart, isOpening } = place;
  if (run === 0) return place;
  const after = { ...place, run: 0, isLineStart: false };
  const isInline = code === 'span' || isOpening;
  if (isInline) return { ...after, code: run === ticks ? 'none' : 'span', isOpening: false };
  if (code === 'fence') return { ...after, isClosing: isLineStart && run >= ticks };
  const isFence = isLineStart && run >= 3;
  return { ...after, code: isFence ? 'fence' : 'span', ticks: run, isOpening: isFence };
}

function nextLine(place: CodePlace): CodePlace {
  const isOver = place.code === 'span' || place.isClosing;
  return { ...startOfText(), code: isOver ? 'none' : place.code, ticks: place.ticks };
}
