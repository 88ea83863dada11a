/** An event of a response's stream as OpenAI's clients read it, without its number. */
export type ResponseEvent = { type: string } & Record<string, unknown>;

/** The same as it is told, with its place in the log of the response (contract-responses R44). */
export type NumberedEvent = ResponseEvent & { sequence_number: number };

/**
 * What a stream tells at one place of the log: an event, which takes one number; a number that nothing is told at; a text,
 * which takes a number for each UTF-16 unit and is told in deltas, each made of `event` (contract-responses R44).
 */
export type Piece<Event> =
  | { kind: 'event'; event: Event }
  | { kind: 'silence' }
  | { kind: 'text'; event: Event; text: string };

/** A piece of a response's stream. */
export type ResponsePiece = Piece<ResponseEvent>;

/** How many numbers pieces take. */
export function sizeOfPieces(pieces: readonly Piece<unknown>[]): number {
  return pieces.reduce((sum, piece) => sum + sizeOf(piece), 0);
}

/** Where to tell pieces: `from` is the number of the first unit, `place` the unit to begin with, from 0. */
type Telling = { from: number; place: number; isOpen: boolean };

/** The events that tell pieces from a place on, as a response's stream has them: each with its number inside. */
export function* tellPieces(pieces: readonly ResponsePiece[], telling: Telling): Generator<NumberedEvent> {
  for (const { event, number } of placePieces(pieces, telling)) {
    const { type, ...fields } = event;
    yield { type, sequence_number: number, ...fields };
  }
}

/** An event with the number of its place, or of its last unit where it is a delta. */
type PlacedEvent<Event> = { event: Event; number: number };

/**
 * The events that tell pieces from a place on, each with its number: one delta for the rest of a text. No delta splits a
 * surrogate pair: at the end of an open text, half of one waits for the other.
 */
export function* placePieces<Event>(pieces: readonly Piece<Event>[], telling: Telling): Generator<PlacedEvent<Event>> {
  let { from } = telling;
  for (const [index, piece] of pieces.entries()) {
    const first = from;
    from += sizeOf(piece);
    const told = telling.from + telling.place - first;
    if (from <= telling.from + telling.place || piece.kind === 'silence') continue;
    if (piece.kind === 'event') yield { event: piece.event, number: first };
    else yield* deltaOf(piece, { first, told, isOpen: telling.isOpen && index === pieces.length - 1 });
  }
}

type TextPiece<Event> = Extract<Piece<Event>, { kind: 'text' }>;
type DeltaPlace = { first: number; told: number; isOpen: boolean };

function* deltaOf<Event>({ event, text }: TextPiece<Event>, at: DeltaPlace): Generator<PlacedEvent<Event>> {
  const start = wholeCharacters(text, Math.max(0, at.told));
  const end = at.isOpen ? wholeCharacters(text, text.length) : text.length;
  if (end > start) yield { event: { ...event, delta: text.slice(start, end) }, number: at.first + end - 1 };
}

/** The end of a text, or one unit less where that would leave half of a surrogate pair. */
function wholeCharacters(text: string, end: number): number {
  return end > 0 && isHighSurrogate(text.charCodeAt(end - 1)) ? end - 1 : end;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}

function sizeOf(piece: Piece<unknown>): number {
  return piece.kind === 'text' ? piece.text.length : 1;
}
