import { z } from 'zod';
import { Json } from './json.ts';

/** The schema of the JSON that a turn must answer with. */
export const GivenOutputSchema = z.strictObject({
  name: z
    .string()
    .regex(/^[a-zA-Z0-9_-]{1,64}$/, 'use 1 to 64 letters, digits, underscores and hyphens')
    .describe('The name of the schema, which the model sees.'),
  schema: z
    .record(z.string(), Json)
    .describe(
      'A JSON Schema with `"type": "object"` at its root. Draft 2020-12, or the draft that `$schema` names, from draft 4.',
    ),
  strict: z
    .boolean()
    .nullish()
    .describe(
      'Whether Chat Completions enforces the schema strictly. True by default if every object of the schema is closed and requires all its properties. Other wires ignore it.',
    ),
  mode: z
    .enum(['native', 'instructions'])
    .nullish()
    .describe(
      '`native`: the provider receives the schema. `instructions`: the system prompt contains the schema. Default: `native` if the model’s provider supports structured outputs.',
    ),
});
export type GivenOutputSchema = z.infer<typeof GivenOutputSchema>;

/** How a model receives the schema. */
export type OutputMode = NonNullable<GivenOutputSchema['mode']>;

/**
 * The output schema with defaults. `strict` is null if no wire gets it. `modes` has each fallback model with another
 * `mode`.
 */
export type OutputSchema = Pick<GivenOutputSchema, 'name' | 'schema'> & {
  strict: boolean | null;
  mode: OutputMode;
  modes?: Record<string, OutputMode>;
};
