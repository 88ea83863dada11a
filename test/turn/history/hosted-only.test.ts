import { expect, test } from 'vitest';
import { anthropicHistory } from '#core/turn/history/anthropic.ts';
import { geminiHistory } from '#core/turn/history/gemini.ts';
import { openaiHistory } from '#core/turn/history/openai.ts';
import { transcriptOf } from '#core/turn/history/transcript.ts';
import { makeSearch } from '#test/turn/hosted/make-hosted.ts';
import { makeRound, makeTurn } from '#test/turn/make-turn.ts';

test('a reply of only hosted items stays in the next history, with its state', () => {
  const opaque = { items: [{ type: 'image_generation_call', id: 'ig_1', status: 'completed', result: 'QUJD' }] };
  const drawn = makeTurn({ status: 'completed', output: '', rounds: [{ ...makeRound(1, null, []), opaque }] });

  expect(transcriptOf([drawn]).map(({ role }) => role)).toEqual(['user', 'assistant']);
});

test('the history of each wire has notes about hosted calls, and images', () => {
  const images = [{ url: `blob:${'a'.repeat(64)};image/png`, offset: 0 }];
  const round = { ...makeRound(1, null, []), hosted: { calls: [makeSearch()], annotations: [], images } };
  const turns = [makeTurn({ status: 'completed', output: 'Found it.', rounds: [round] })];

  for (const history of [openaiHistory(turns), anthropicHistory(turns).data, geminiHistory(turns).data]) {
    expect(JSON.stringify(history[1])).toMatch(/The provider ran web_search.*The model made an image.*Found it\./);
    expect(JSON.stringify(history[2])).toContain(`/v1/blobs/${'a'.repeat(64)}`);
  }
});
