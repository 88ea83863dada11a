import { expect, test } from 'vitest';
import { itemIdOf } from '#core/turn/responses/item-id.ts';
import { newSealingKey } from '#services/api/openai/responses/sealing/seal.ts';
import { makeStateSeals } from '#services/api/openai/responses/sealing/state-seals.ts';
import { makeTurn } from '#test/turn/make-turn.ts';
import { stateSeals } from '../seals.ts';

const place = itemIdOf('turn_01kagz8m4pfvbte2n5q7rys3wx', { kind: 'round', prefix: 'cmp', round: 1, call: null });
const sealed = stateSeals.sealSummary('Ada said hello.', { project: 'acme', place });

test('a sealed summary is valid in its project only, for any provider', () => {
  expect(stateSeals.unsealSummary(sealed, 'acme')).toEqual({ type: 'compaction', summary: 'Ada said hello.' });
  expect(stateSeals.unsealSummary(sealed, 'other')).toBeNull();
  expect(makeStateSeals(newSealingKey()).unsealSummary(sealed, 'acme')).toBeNull();
  expect(stateSeals.unseal(sealed, { project: 'acme', provider: 'openai' })).toBeNull();
});

test('a sealed provider state is not accepted as a summary', () => {
  const turn = makeTurn({ input: [{ type: 'opaque_state', provider: 'openai', state: 'Ada said hello.' }] });
  const [item] = stateSeals.sealTurn(turn, true).input;

  expect(item).toMatchObject({ type: 'opaque_state', sealed: expect.any(String) });
  expect(stateSeals.unsealSummary((item as { sealed: string }).sealed, turn.project)).toBeNull();
});

test('a compaction of an input always has the same seal, even without a request for it', () => {
  const turn = makeTurn({ input: [{ type: 'compaction', summary: 'Ada said hello.' }] });
  const [once, again, asked] = [false, false, true].map((isAsked) => stateSeals.sealTurn(turn, isAsked).input);

  expect(once).toMatchObject([{ summary: 'Ada said hello.', sealed: expect.stringMatching(/^pawl1\./) }]);
  expect([again, asked]).toEqual([once, once]);
});
