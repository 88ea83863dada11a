/** An event of a response's stream in OpenAI's shape, without its number. */
export type ResponseEvent = { type: string } & Record<string, unknown>;

/** An event with its number in the log of the response. */
export type NumberedEvent = ResponseEvent & { sequence_number: number };

/**
 * The content of a position in the log:
 * - an event, which has one number
 * - a number without an event
 * - a text with a number for each UTF-16 unit, sent in deltas that are each made from `event`.
 */
export type Piece<Event> =
  | { kind: 'event'; event: Event }
  | { kind: 'silence' }
  | { kind: 'text'; event: Event; text: string };

export type ResponsePiece = Piece<ResponseEvent>;

/** Returns how many numbers pieces have. */
export function sizeOfPieces(pieces: readonly Piece<unknown>[]): number {
  return pieces.reduce((sum, piece) => sum + sizeOf(piece), 0);
}

/** The range of pieces to send: `from` is the number of the first unit, `place` the first unit to send, from 0. */
type UnsentRange = { from: number; place: number; isOpen: boolean };

/** Yields the events of pieces from a unit on, each with its number in the event. */
export function* eventsOfPieces(pieces: readonly ResponsePiece[], range: UnsentRange): Generator<NumberedEvent> {
  for (const { event, number } of placePieces(pieces, range)) {
    const { type, ...fields } = event;
    yield { type, sequence_number: number, ...fields };
  }
}

/** An event with its number. The number of a delta is that of its last unit. */
type PlacedEvent<Event> = { event: Event; number: number };

/**
 * Yields the events of pieces from a unit on, each with its number. The rest of a text is one delta. No delta splits
 * a surrogate pair: at the end of an open text, half a pair waits for the other half.
 */
export function* placePieces<Event>(
  pieces: readonly Piece<Event>[],
  range: UnsentRange,
): Generator<PlacedEvent<Event>> {
  let { from } = range;
  for (const [index, piece] of pieces.entries()) {
    const first = from;
    from += sizeOf(piece);
    const sent = range.from + range.place - first;
    if (from <= range.from + range.place || piece.kind === 'silence') continue;
    if (piece.kind === 'event') yield { event: piece.event, number: first };
    else yield* deltaOf(piece, { first, sent, isOpen: range.isOpen && index === pieces.length - 1 });
  }
}

type TextPiece<Event> = Extract<Piece<Event>, { kind: 'text' }>;
type DeltaPlace = { first: number; sent: number; isOpen: boolean };

function* deltaOf<Event>({ event, text }: TextPiece<Event>, at: DeltaPlace): Generator<PlacedEvent<Event>> {
  const start = wholeCharacters(text, Math.max(0, at.sent));
  const end = at.isOpen ? wholeCharacters(text, text.length) : text.length;
  if (end > start) yield { event: { ...event, delta: text.slice(start, end) }, number: at.first + end - 1 };
}

/** Returns the end of a text without half a surrogate pair. */
function wholeCharacters(text: string, end: number): number {
  return end > 0 && isHighSurrogate(text.charCodeAt(end - 1)) ? end - 1 : end;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}

function sizeOf(piece: Piece<unknown>): number {
  return piece.kind === 'text' ? piece.text.length : 1;
}

/** Returns the piece of one event. */
export function eventPiece(fields: ResponseEvent): ResponsePiece {
  return { kind: 'event', event: fields };
}

/** Returns the event of a new item. */
export function added(item: Record<string, unknown>, outputIndex: number): ResponsePiece {
  return eventPiece({ type: 'response.output_item.added', output_index: outputIndex, item });
}

/** Returns the event of a complete item. */
export function done(item: Record<string, unknown>, outputIndex: number): ResponsePiece {
  return eventPiece({ type: 'response.output_item.done', output_index: outputIndex, item });
}
