import { image, pngOf, text, user } from '#test/api/blobs/samples.ts';
import { scripted } from '#test/harness/scripted.ts';
import { OVER_RESPONSES } from '../lane.ts';
import type { Reference } from './reference.ts';

/** A turn with data in separate blobs, at both ends. */
export const blobReferences: Reference[] = [
  {
    of: 'a turn with an image, whose tool answers with another',
    points: /keepBlobs|saveResults|begin of|commit of|ask/,
    start: async ({ startTurn, recorder }) => {
      const tools = [{ name: 'picture', arguments: { url: recorder.url } }];
      const script = scripted({ piece_chars: 1_000, rounds: [{ say: 'Working.', tools }], answer: 'All is done.' });
      await startTurn({ input: user(text(script), image(pngOf({ mark: 'crash' }))), tools: ['picture'] });
    },
  },
  {
    of: 'a turn whose model makes images and searches beside a tool',
    model: OVER_RESPONSES,
    points: /keepBlobs|saveRound|endWithRound|begin of|commit of|ask/,
    start: ({ startTurn, recorder }) => {
      const image = { type: 'image_generation' as const };
      const tools = [{ name: 'look', arguments: { url: recorder.url } }];
      const search = { type: 'web_search' as const, input: { query: 'Bern' }, output: ['https://bern.example'] };
      const rounds = [{ say: 'Working.', tools, hosted: [search, image] }];
      const script = scripted({ piece_chars: 1_000, rounds, answer: 'All is done.', final: { hosted: [image] } });
      return startTurn({ input: script, tools: ['look', { type: 'web_search' }, image] });
    },
  },
];
