import { image, pngOf, text, user } from '#test/api/blobs/samples.ts';
import { scripted } from '#test/harness/scripted.ts';
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
];
