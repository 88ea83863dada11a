import { comparePieces } from './compare-pieces.ts';
import { editionOf } from './events.ts';
import { editionStart, type LogPosition } from './log.ts';
import type { ResponsePiece } from './piece.ts';

/**
 * What a stream has told of the round at its position: `units` of the pieces of an edition. `pieces` is null where an
 * earlier stream told it, perhaps of another process. Two attempts at one edition may say different things.
 */
export type ToldPieces = { edition: number; attempt: number | null; units: number; pieces: ResponsePiece[] | null };

/** What the client of a stream that begins behind a number has been told of the round there; null for nothing. */
export function toldBefore(position: LogPosition, sent: number): ToldPieces | null {
  const edition = editionOf(position, sent);
  if (edition < 0) return null;
  return { edition, attempt: null, units: sent - editionStart(position, edition) + 1, pieces: null };
}

/** Pieces of a round as they are now: committed, or so far. */
export type LatestPieces = { edition: number; attempt: number | null; isCommitted: boolean; pieces: ResponsePiece[] };

/**
 * What a stream does with pieces after what it has told (contract-responses R46): it tells those that follow; it waits until
 * they have said the same again; or it has told what is not so any more.
 */
export function nextTelling(told: ToldPieces | null, now: LatestPieces): 'tell' | 'wait' | 'superseded' {
  if (!told) return 'tell';
  if (!told.pieces) return afterAnother(told, now);
  if (now.edition < told.edition) return now.isCommitted ? 'superseded' : 'wait';
  if (now.edition === told.edition && now.attempt === told.attempt && !now.isCommitted) return 'tell';
  const likeness = comparePieces(now.pieces, { pieces: told.pieces, units: told.units });
  if (likeness === 'same') return 'tell';
  return likeness === 'shorter' && !now.isCommitted ? 'wait' : 'superseded';
}

/** Of what another stream told only its edition is known; a number above all there is waits for its turn. */
function afterAnother(told: ToldPieces, now: LatestPieces): 'tell' | 'wait' | 'superseded' {
  if (now.edition > told.edition) return 'superseded';
  return now.isCommitted || now.edition === told.edition ? 'tell' : 'wait';
}
