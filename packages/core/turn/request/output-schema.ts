import { z } from 'zod';
import { Json } from './json.ts';

/** What the answer of a turn has to be: JSON that fits a schema (contract-more: structured output). */
export const GivenOutputSchema = z.strictObject({
  name: z
    .string()
    .regex(/^[a-zA-Z0-9_-]{1,64}$/, 'use 1 to 64 letters, digits, underscores and hyphens')
    .describe('What the schema is called; models read it.'),
  schema: z
    .record(z.string(), Json)
    .describe(
      'A JSON Schema (2020-12, or an older draft from 4 on if `$schema` names it) with `"type": "object"` at its root.',
    ),
  strict: z
    .boolean()
    .nullish()
    .describe(
      'Whether Chat Completions holds the model to it strictly. True by default where every object of the schema is closed ' +
        'and requires all its properties; the other wires have no such switch.',
    ),
  mode: z
    .enum(['native', 'instructions'])
    .nullish()
    .describe(
      '`native`: the provider is given the schema; `instructions`: it stands in the system prompt. `native` by default, ' +
        'for each model whose provider has structured outputs.',
    ),
});
export type GivenOutputSchema = z.infer<typeof GivenOutputSchema>;

/** How a model is told the schema. */
export type OutputMode = NonNullable<GivenOutputSchema['mode']>;

/** With defaults. `strict` is null if no wire gets it. `modes` has each fallback model with another `mode`. */
export type OutputSchema = Pick<GivenOutputSchema, 'name' | 'schema'> & {
  strict: boolean | null;
  mode: OutputMode;
  modes?: Record<string, OutputMode>;
};
