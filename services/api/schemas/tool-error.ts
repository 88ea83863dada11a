import { z } from 'zod';
import { Json } from '#core/turn/json.ts';
import { TOOL_ERROR_CATEGORIES } from '#core/turn/tool-result.ts';

const category = z
  .enum(TOOL_ERROR_CATEGORIES)
  .describe('What kind of failure it is; `outcome_unknown` where nobody knows whether the call took effect.');
const message = z.string().describe('What went wrong, in a sentence that the model reads.');

/** Why a call brought no result, as turns show it. */
export const ToolError = z
  .object({
    category,
    message,
    details: z.record(z.string(), z.unknown()).describe('More that the model reads, as names and values.'),
  })
  .meta({
    id: 'ToolError',
    description: 'Why a call brought no result; the model reads it too.',
    examples: [{ category: 'resource_not_found', message: 'There is no such city.', details: { city: 'Atlantis' } }],
  });

/** Why a call brought no result, as clients say it. */
export const ToolErrorBody = z.strictObject({
  category,
  message: message.min(1),
  details: z.record(z.string(), Json).optional().describe('More for the model to read, as names and values.'),
});
