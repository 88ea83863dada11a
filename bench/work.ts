import { fillLimits } from '#core/turn/limits.ts';
import tools from './tools.ts';

/** A turn to play: `rounds` requests to the model, with a batch of tools after each but the last. */
export type Work = { rounds: number; thinkMs: number };

/** The turn of the main figures. */
export const PLAIN_WORK: Work = { rounds: 4, thinkMs: 0 };

/** The calls of the model in each of its rounds but the last. */
export const CALLS = [
  { name: 'read_stock', arguments: { article: 'A-4711' } },
  { name: 'read_price', arguments: { article: 'A-4711', currency: 'EUR' } },
];

export const WORDS = 'Let me look that up.';
export const ANSWER = 'There are seven of them, at 12.50 EUR each.';
export const MODEL = 'bench';

/** The tools of the work in the form of a request to the model. */
export const WIRE_TOOLS = tools.map(({ definition: { name, description, parameters } }) => ({
  type: 'function',
  function: { name, description, parameters },
}));

/** The configuration of a turn as Pawl stores it, with every default. */
export const filledConfig = JSON.parse(
  JSON.stringify({
    ...{ model: `openai/${MODEL}`, instructions: null, tools: tools.map(({ definition }) => definition) },
    ...{ tool_choice: 'auto', tool_mode: 'native', parallel_tool_calls: null },
    ...{ temperature: null, top_p: null, reasoning_effort: null, verbosity: null, max_output_tokens: null },
    limits: fillLimits(null),
    ...{ allowed_capabilities: null, provider_options: {}, webhook: null },
  }),
);

/** Returns the user's input, which scripts the simulated model (docs/simulator.md). */
export function inputOf({ rounds, thinkMs }: Work): string {
  const script = Array.from({ length: rounds - 1 }, () => ({ say: WORDS, tools: CALLS }));
  return JSON.stringify({ sim: { rounds: script, answer: ANSWER, ...(thinkMs > 0 ? { think_ms: thinkMs } : {}) } });
}

export function turnRequestOf(work: Work) {
  return { model: `openai/${MODEL}`, tools: CALLS.map(({ name }) => name), input: inputOf(work) };
}
