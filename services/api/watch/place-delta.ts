/** A text that grows, as far as it is known: all of it from the start, and pieces that came before their turn. */
export type GrowingText = { text: string; early: Piece[] };

/** A piece of a text; `offset` is where it starts, in UTF-16 code units. */
export type Piece = { offset: number; delta: string };

/** Early pieces that are kept; with more of them missing the text is asked for from its start anyway. */
const EARLY_LIMIT = 16;

/** Puts a piece where it belongs. What is known already is cut away, what comes too early waits for its turn. */
export function placeDelta({ text, early }: GrowingText, { offset, delta }: Piece): GrowingText {
  if (offset > text.length) return { text, early: [...early, { offset, delta }].slice(-EARLY_LIMIT) };
  return placeEarly({ text: text + delta.slice(text.length - offset), early });
}

function placeEarly({ text, early }: GrowingText): GrowingText {
  if (early.length === 0) return { text, early };
  const [first, ...rest] = early.toSorted((a, b) => a.offset - b.offset);
  if (!first || first.offset > text.length) return { text, early };
  return placeEarly({ text: text + first.delta.slice(text.length - first.offset), early: rest });
}
