import { defineTool } from 'pawl/tools';
import { z } from 'zod';

const article = z.string().describe('The number of the article, for example A-4711');

/** The tools of the work. They answer at once, so that only the surrounding work is measured. */
export default [
  defineTool({
    name: 'read_stock',
    description: 'Reads how many pieces of an article are in stock.',
    input: z.object({ article }),
    effect: 'none',
    execute: readStock,
  }),
  defineTool({
    name: 'read_price',
    description: 'Reads the price of an article.',
    input: z.object({ article, currency: z.string().length(3) }),
    effect: 'none',
    execute: readPrice,
  }),
];

/** Returns the stock of an article. It is the tool `read_stock`, for direct calls. */
export function readStock({ article }: { article: string }) {
  return { article, pieces: 7 };
}

/** Returns the price of an article. It is the tool `read_price`, for direct calls. */
export function readPrice({ article, currency }: { article: string; currency: string }) {
  return { article, price: 12.5, currency };
}
