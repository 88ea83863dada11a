import { type ResponsePiece, sizeOfPieces } from './piece.ts';

type Likeness = 'same' | 'shorter' | 'different';

/**
 * Whether pieces say again what was told, unit by unit (contract-responses R46): all of it, so far the same but less, or
 * something else. `told` are the pieces that were told of another edition, and how many units of them.
 */
export function comparePieces(
  pieces: readonly ResponsePiece[],
  told: { pieces: readonly ResponsePiece[]; units: number },
): Likeness {
  let left = told.units;
  for (const [index, before] of told.pieces.entries()) {
    if (left <= 0) return 'same';
    const now = pieces[index];
    if (!now) return 'shorter';
    const likeness = compareOne(now, before, left);
    if (likeness === 'shorter' && index < pieces.length - 1) return 'different';
    if (likeness !== 'same') return likeness;
    left -= sizeOfPieces([before]);
  }
  return 'same';
}

/**
 * One piece against the first units of another. A text that is shorter may still grow, if nothing follows it; one that was told
 * with what follows it was told whole.
 */
function compareOne(now: ResponsePiece, before: ResponsePiece, units: number): Likeness {
  if (now.kind !== 'text' || before.kind !== 'text') return isSame(now, before) ? 'same' : 'different';
  if (!isSame(now.event, before.event)) return 'different';
  const known = before.text.slice(0, units);
  if (units > before.text.length ? now.text === known : now.text.startsWith(known)) return 'same';
  return known.startsWith(now.text) ? 'shorter' : 'different';
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
