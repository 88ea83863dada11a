import tools from './tools.ts';

/** A turn to be played: `rounds` requests to the model, with a batch of tools after each but the last. */
export type Work = { rounds: number; thinkMs: number };

/** The turn of the main figures. */
export const PLAIN_WORK: Work = { rounds: 4, thinkMs: 0 };

/** What the model calls in each of its rounds but the last. */
export const CALLS = [
  { name: 'read_stock', arguments: { article: 'A-4711' } },
  { name: 'read_price', arguments: { article: 'A-4711', currency: 'EUR' } },
];

export const WORDS = 'Let me look that up.';
export const ANSWER = 'There are seven of them, at 12.50 EUR each.';
export const MODEL = 'bench';

/** The tools of the work as a request to the model has them. */
export const WIRE_TOOLS = tools.map(({ definition: { name, description, parameters } }) => ({
  type: 'function',
  function: { name, description, parameters },
}));

/** How many jobs a turn is: its rounds and the batches between them. */
export function jobsOf({ rounds }: Work): number {
  return 2 * rounds - 1;
}

/** The user's input, which scripts the simulated model (docs/simulator.md). */
export function inputOf({ rounds, thinkMs }: Work): string {
  const script = Array.from({ length: rounds - 1 }, () => ({ say: WORDS, tools: CALLS }));
  return JSON.stringify({ sim: { rounds: script, answer: ANSWER, ...(thinkMs > 0 ? { think_ms: thinkMs } : {}) } });
}

/** The turn as a client posts it to Pawl. */
export function turnRequestOf(work: Work) {
  const limits = work.rounds > 50 ? { limits: { max_rounds: work.rounds, max_tool_calls: 10_000 } } : {};
  return { model: `openai/${MODEL}`, tools: CALLS.map(({ name }) => name), input: inputOf(work), ...limits };
}
