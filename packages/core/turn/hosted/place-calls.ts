type Piece = { offset: number; delta: string };
type CallEvent = { hosted_call: { offset: number } };

/** Returns a piece of a text and the events about hosted calls. Each event follows the text before its call. */
export function placeCalls<Text extends Piece, Event extends CallEvent>(
  piece: Text,
  calls: readonly Event[],
): (Text | Event)[] {
  let rest = piece;
  const placed = calls.flatMap((call) => {
    const length = Math.max(0, call.hosted_call.offset - rest.offset);
    const before = { ...rest, delta: rest.delta.slice(0, length) };
    rest = { ...rest, offset: rest.offset + before.delta.length, delta: rest.delta.slice(length) };
    return before.delta ? [before, call] : [call];
  });
  return rest.delta ? [...placed, rest] : placed;
}
