import { scripted } from '#test/harness/scripted.ts';
import type { Reference } from './reference.ts';

/** Turns with a history that becomes shorter before a round. */
export const compactionReferences: Reference[] = [
  {
    of: 'turns whose histories are compacted, one after a refusal of its model',
    points: /saveCompaction|ask |saveRound|enqueue/,
    start: async ({ startTurn }) => {
      const rounds = [1, 2, 3].map((number) => ({
        ...{ say: 'word '.repeat(300), tools: [{ name: 'look', id: `call_${number}` }] },
        usage: { prompt_tokens: 1_000 * number, completion_tokens: 300 },
      }));
      const script = { rounds, answer: 'All is done.', summary: { say: 'It looked.' } };
      const context = { strategy: 'summarize', keep_last_rounds: 1 };
      await startTurn({
        input: scripted(script),
        tools: ['look'],
        context: { ...context, max_input_tokens: 3_000 },
      });
      await startTurn({ input: scripted({ ...script, context_tokens: 2_400 }), tools: ['look'], context });
    },
  },
];
