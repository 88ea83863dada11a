import { z } from 'zod';

const afterChars = z.int().min(0);
const times = z.int().min(0).optional();

/** What goes wrong, and on how many tries of its round (`times`; absent: on every one). */
const Fault = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('status'),
    status: z.int().min(400).max(599),
    /** Seconds, or an HTTP date. */
    retry_after: z.union([z.number().min(0), z.string()]).optional(),
    retry_after_ms: z.number().min(0).optional(),
    /** A text is sent as it is, anything else as JSON. */
    body: z.json().optional(),
    times,
  }),
  z.strictObject({ kind: z.literal('refuse'), times }),
  z.strictObject({ kind: z.literal('hang'), after_chars: afterChars.optional(), times }),
  z.strictObject({ kind: z.literal('cut'), after_chars: afterChars.default(0), times }),
  z.strictObject({
    kind: z.literal('error_event'),
    after_chars: afterChars.default(0),
    body: z.json().optional(),
    times,
  }),
  z.strictObject({ kind: z.literal('garbage'), after_chars: afterChars.optional(), times }),
  z.strictObject({ kind: z.literal('no_done'), times }),
  z.strictObject({ kind: z.literal('no_finish'), times }),
  z.strictObject({ kind: z.literal('drip'), times }),
]);
export type Fault = z.output<typeof Fault>;

/** Tokens as this wire counts them, with whatever details the vendor or the script adds. */
export type ScriptedUsage = {
  prompt_tokens: number;
  completion_tokens: number;
  total_tokens: number;
  [detail: string]: unknown;
};

const Usage = z
  .looseObject({
    prompt_tokens: z.int().min(0),
    completion_tokens: z.int().min(0),
    total_tokens: z.int().min(0).optional(),
  })
  .transform(
    (usage): ScriptedUsage => ({
      ...usage,
      total_tokens: usage.total_tokens ?? usage.prompt_tokens + usage.completion_tokens,
    }),
  );

const pace = {
  think_ms: z.number().min(0).max(3_600_000).optional(),
  pace_ms: z.number().min(0).max(3_600_000).optional(),
  piece_chars: z.int().min(1).optional(),
  interleave: z.boolean().optional(),
};

const Scene = z.strictObject({
  ...pace,
  say: z.string().optional(),
  reasoning: z.string().optional(),
  tools: z
    .array(
      z.strictObject({
        name: z.string().min(1),
        /** A text stands for itself, so that a model can write broken arguments. */
        arguments: z.union([z.record(z.string(), z.json()), z.string()]).default({}),
        id: z.string().min(1).optional(),
      }),
    )
    .optional(),
  finish_reason: z.string().optional(),
  usage: Usage.nullish(),
  fault: Fault.optional(),
});
/** One reply of the model, and how it comes. */
export type Scene = z.output<typeof Scene>;

/** How the simulated model is told to behave: the value of `sim` in the last user message (docs/simulator.md). */
export const Script = z.strictObject({
  ...pace,
  rounds: z.array(Scene).default([]),
  answer: z.string().default('Done.'),
  final: Scene.optional(),
  /** How this model writes its calls: as the wire has them, or in its text for Pawl's other two tool modes. */
  calls_as: z.enum(['native', 'json', 'inline']).default('native'),
  /** A model behind a server that answers 400 to tools. */
  refuses_tools: z.boolean().default(false),
});
export type Script = z.output<typeof Script>;
