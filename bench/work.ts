/** How many times a turn asks the model; after each but the last it runs a batch of tools. */
export const ROUNDS = 4;

/** How many jobs a turn is: its rounds and the batches between them. */
export const JOBS = 2 * ROUNDS - 1;

/** What the model asks for in each of its rounds but the last. */
export const CALLS = [
  { name: 'read_stock', arguments: { article: 'A-4711' } },
  { name: 'read_price', arguments: { article: 'A-4711', currency: 'EUR' } },
];

export const WORDS = 'Let me look that up.';
export const ANSWER = 'There are seven of them, at 12.50 EUR each.';

const script = { rounds: Array.from({ length: ROUNDS - 1 }, () => ({ say: WORDS, tools: CALLS })), answer: ANSWER };

/** The words of the user: they script the simulated model, which answers without thinking (docs/simulator.md). */
export const INPUT = JSON.stringify({ sim: script });

/** The turn that everybody plays, as a client posts it. */
export const turnRequest = { model: 'openai/bench', tools: CALLS.map(({ name }) => name), input: INPUT };
