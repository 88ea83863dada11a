import { image, PNG, text, user } from '#test/api/blobs/samples.ts';
import { continueFirst, key, toFirst } from './first-turn.ts';
import type { Reference } from './reference.ts';

/** Requests with an input that joins a turn. */
export const inputReferences: Reference[] = [
  {
    of: 'the request that adds an input to a turn',
    start: ({ startTurn, recorder }) => startTurn({ input: 'First.', webhook: { url: `${recorder.url}/hook` } }),
    request: async (scene) => {
      const request = await toFirst(scene, 'input', { input: user(text('See'), image(PNG)) });
      return { ...request, headers: key };
    },
    answers: [200],
  },
  {
    of: 'the request that steers the active turn',
    start: ({ startTurn }) => startTurn({ input: 'First.' }),
    request: (scene) => continueFirst(scene, { input: 'Quick, please.', on_active_turn: 'steer' }),
    answers: [200],
  },
  {
    of: 'the request that merges an input into a queued turn',
    start: ({ startTurn }) => startTurn({ input: 'First.' }),
    request: (scene) => continueFirst(scene, { input: 'Second.', on_active_turn: 'merge', debounce_ms: 10 }),
    answers: [200],
  },
];
