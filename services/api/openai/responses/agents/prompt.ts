import { z } from 'zod';
import { MAX_VARIABLES, VARIABLE } from '#core/turn/agents/fill-variables.ts';

const NAMED = 'name variables with letters, digits, _ and -, beginning with a letter or _';
const TEXTS = 'give texts as variables';

/** A text, or OpenAI's part with a text. */
const Value = z.union(
  [z.string(), z.object({ type: z.literal('input_text'), text: z.string().describe('The text.') })],
  TEXTS,
);

/** The reference of a create request to an agent, in OpenAI's shape. */
export const Prompt = z.strictObject({
  id: z.string().min(1).max(128).describe('The name or the id of an agent.'),
  version: z
    .union([z.string().min(1).max(64), z.int().min(1)])
    .nullish()
    .describe('A version of the agent, or a label. Default: the current version.'),
  variables: z
    .record(z.string().regex(VARIABLE, NAMED), Value)
    .refine((values) => Object.keys(values).length <= MAX_VARIABLES, `give at most ${MAX_VARIABLES} variables`)
    .nullish()
    .describe('Texts that replace `{{name}}` in the instructions.'),
});
export type Prompt = z.output<typeof Prompt>;

/** Returns the variables of a prompt as texts. */
export function variablesOf({ variables }: Prompt): Record<string, string> | undefined {
  if (!variables) return undefined;
  const texts = Object.entries(variables).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : value.text,
  ]);
  return Object.fromEntries(texts);
}
