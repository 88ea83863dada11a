import { expect, test } from 'vitest';
import type { Piece } from '#core/turn/responses/piece.ts';
import { makeSharedPieces } from '#services/api/stream/shared/shared-pieces.ts';
import { newWatchedTurn } from '#services/api/stream/watched-turn.ts';

const said = (text: string): Piece<string>[] => [
  { kind: 'event', event: 'added' },
  { kind: 'text', event: 'delta', text },
];

test('streams of a run share one growing list of pieces, separate for each run', () => {
  const share = makeSharedPieces<string>();
  const [watched, other] = [newWatchedTurn('turn_1'), newWatchedTurn('turn_2')];
  const run = { round: 1, draft: 0, attempt: 1 };

  const early = share(watched, run, said('One'));
  const late = share(watched, run, said('One, two'));
  const again = share(watched, run, said('One'));
  const next = share(watched, { ...run, draft: 1 }, said('Eins'));
  const elsewhere = share(other, run, said('Another'));

  expect(late).toBe(early);
  expect(again).toBe(early);
  expect(early).toEqual(said('One, two'));
  expect([next, elsewhere]).toEqual([said('Eins'), said('Another')]);
});
