import { expect, test } from 'vitest';
import { transcriptOf } from '#core/turn/history/transcript.ts';
import { makeRound, makeTurn } from '#test/turn/make-turn.ts';

test('a reply of only hosted items stays in the next history, with its state', () => {
  const opaque = { items: [{ type: 'image_generation_call', id: 'ig_1', status: 'completed', result: 'QUJD' }] };
  const drawn = makeTurn({ status: 'completed', output: '', rounds: [{ ...makeRound(1, null, []), opaque }] });

  expect(transcriptOf([drawn]).map(({ role }) => role)).toEqual(['user', 'assistant']);
});
