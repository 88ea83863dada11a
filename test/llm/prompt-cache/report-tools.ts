import { defineTool } from 'pawl/tools';
import { z } from 'zod';

const sentence = 'The report covers revenue, costs, staff and plans of one quarter. ';
const input = z.object({
  page: z.number().describe(sentence.repeat(9)),
  format: z.string().describe(sentence.repeat(9)).optional(),
});

export const reportTools = Array.from({ length: 8 }, (_, index) => `read_report_${index}`);

/** Server tools with long definitions, about 4,000 tokens in total. Each result has about 1,000 tokens. */
export default reportTools.map((name) =>
  defineTool({
    name,
    description: sentence.repeat(7),
    input,
    effect: 'none',
    execute: ({ page }) => `Page ${page}. `.repeat(Math.ceil(4_000 / `Page ${page}. `.length)),
  }),
);
