import type { TurnRequest } from 'pawl/client';

/** The model of the reports. Its batch tier costs half, in dollars per million tokens. */
export const MODEL = 'night/reporter';
const PRICE = { input: 2, output: 8, tiers: { batch: { input: 1, output: 4 } } };

export const PRICES = JSON.stringify({ [MODEL]: PRICE });

/** The tools of a report, in the order of its rounds. */
export const TOOLS = ['read_sales', 'order_stock', 'file_report'] as const;
/** The rounds of a report: each has a tool, and the last has the answer. */
export const ROUNDS = TOOLS.length + 1;

export const SHOPS = [
  ...['Aarau', 'Basel', 'Bern', 'Biel', 'Chur', 'Davos', 'Fribourg', 'Geneva', 'Glarus', 'Lausanne'],
  ...['Liestal', 'Locarno', 'Lugano', 'Luzern', 'Sion', 'Solothurn', 'Thun', 'Uster', 'Zug', 'Zurich'],
];

const SAY = {
  read_sales: 'I read the sales of the day first.',
  order_stock: 'I order the sold goods. A second order would fill the corridor.',
  file_report: 'Sales and order are known, so I file the report.',
};

/** Returns the turn that reports on a shop. Its input scripts the model (docs/simulator.md). */
export function reportRequest(shop: string, tier?: 'batch'): TurnRequest {
  const script = {
    rounds: TOOLS.map((name, index) => ({
      ...{ say: SAY[name], tools: [{ name, arguments: { shop } }] },
      usage: usageOf(index + 1),
    })),
    answer: `The report of ${shop} is filed, and the goods are ordered.`,
    final: { usage: usageOf(ROUNDS) },
  };
  return {
    ...{ model: MODEL, service_tier: tier, tools: [...TOOLS] },
    input: `Write the report of ${shop}, please. ${JSON.stringify({ sim: script })}`,
  };
}

/** Returns the tokens of a round. They are the same with and without a batch. */
function usageOf(round: number) {
  return { prompt_tokens: 4_000 + 600 * round, completion_tokens: 200 };
}
