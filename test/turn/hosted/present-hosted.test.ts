import { expect, test } from 'vitest';
import type { Hosted } from '#core/turn/hosted/hosted.ts';
import { presentTurn } from '#core/turn/resource/turn.ts';
import { makeRound, makeTurn } from '../make-turn.ts';

const citation = { type: 'url_citation' as const, url: 'https://one.example', start_index: 0, end_index: 5 };
const hosted: Hosted = {
  calls: [],
  annotations: [citation],
  images: [{ url: `blob:${'a'.repeat(64)};image/png`, offset: 5 }],
};
const image = { type: 'output_image', image_url: `/v1/blobs/${'a'.repeat(64)}` };

test('the turn and its last round have the sources of the output', () => {
  const rounds = [{ ...makeRound(1, null), hosted }];
  const turn = presentTurn(makeTurn({ status: 'completed', rounds, output: 'Hello' }));

  expect(turn).toMatchObject({
    output_annotations: [citation],
    output_parts: [{ type: 'output_text', text: 'Hello', annotations: [citation] }, image],
    rounds: [{ assistant_response: null, output_annotations: [citation], output_parts: [image] }],
  });
});

test('a turn without an output has no sources, and its round has them', () => {
  const rounds = [{ ...makeRound(1, 'Hello'), hosted }];
  const turn = presentTurn(makeTurn({ status: 'in_progress', rounds, output: null }));

  expect(turn).toMatchObject({
    ...{ output_annotations: [], output_parts: null },
    rounds: [{ assistant_response: 'Hello', output_annotations: [citation] }],
  });
});
