import { z } from 'zod';
import { ScriptedCitation, ScriptedHosted } from './responses/scripted-hosted.ts';

const afterChars = z.int().min(0);
const times = z.int().min(0).optional();

/** A fault and the number of attempts of its round that meet it (`times`). By default all attempts meet it. */
const Fault = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('status'),
    status: z.int().min(400).max(599),
    /** Seconds, or an HTTP date. */
    retry_after: z.union([z.number().min(0), z.string()]).optional(),
    retry_after_ms: z.number().min(0).optional(),
    /** A string is sent unchanged, any other value as JSON. */
    body: z.json().optional(),
    /** Refuses only requests on this tier. */
    service_tier: z.string().optional(),
    times,
  }),
  z.strictObject({ kind: z.literal('refuse'), times }),
  z.strictObject({ kind: z.literal(['hang', 'garbage']), after_chars: afterChars.optional(), times }),
  z.strictObject({ kind: z.literal('cut'), after_chars: afterChars.default(0), times }),
  z.strictObject({
    kind: z.literal('error_event'),
    after_chars: afterChars.default(0),
    body: z.json().optional(),
    times,
  }),
  z.strictObject({ kind: z.literal(['no_done', 'no_finish', 'drip']), times }),
]);
export type Fault = z.output<typeof Fault>;

const milliseconds = z.number().min(0).max(3_600_000);

/**
 * How the server produces a background response. `times` limits this to the first attempts of its round. Other
 * attempts are produced without a delay, to their end.
 */
const Background = z.strictObject({
  /** The time for which it stays `queued`. */
  queued_ms: milliseconds.default(0),
  /** A pause after so many characters of reasoning, text and arguments. */
  pause_ms: milliseconds.default(0),
  pause_after_chars: afterChars.default(0),
  /** An end other than the end of the reply: a status, the loss of the response, or no end. */
  end: z.enum(['failed', 'cancelled', 'lost', 'never']).optional(),
  /** The number of characters before `end`. By default all. */
  end_after_chars: afterChars.optional(),
  /** The error code of `failed`. */
  code: z.string().default('server_error'),
  /** Whether the server offers its stream again. */
  stream: z.boolean().default(true),
  times,
});
export type ScriptedBackground = z.output<typeof Background>;

/**
 * How the server runs the batch of a request. The longest delays of its requests count, and a fault of one request
 * affects the whole batch, except `end`.
 */
const Batch = z.strictObject({
  /** The time until the batch ends. By default the limit of the server. */
  delay_ms: milliseconds.optional(),
  /** The time until a list shows the batch. */
  list_ms: milliseconds.default(0),
  /** An end of this request without an answer: expired, no result, or a batch without an end. */
  end: z.enum(['expired', 'missing', 'never']).optional(),
  /** Whether the server refuses the batch, since its queue of tokens is full. */
  refuse: z.boolean().default(false),
  /** Whether the server creates the batch, and answers 500. */
  lose_answer: z.boolean().default(false),
  /** Whether the first read of the results is cut. */
  cut_results: z.boolean().default(false),
  /** Limits the faults, not the delays, to the first batches with this request. */
  times,
});
export type ScriptedBatch = z.output<typeof Batch>;

/** Tokens as OpenAI counts them, with the details that the vendor or the script adds. */
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
  think_ms: milliseconds.optional(),
  pace_ms: milliseconds.optional(),
  piece_chars: z.int().min(1).optional(),
  interleave: z.boolean().optional(),
};

const ScriptedReply = z.strictObject({
  ...pace,
  say: z.string().optional(),
  reasoning: z.string().optional(),
  /** The refusal, which follows the text. */
  refusal: z.string().min(1).optional(),
  tools: z
    .array(
      z.strictObject({
        name: z.string().min(1),
        /** A string is sent unchanged, so that a model can write broken arguments. */
        arguments: z.union([z.record(z.string(), z.json()), z.string()]).default({}),
        id: z.string().min(1).optional(),
      }),
    )
    .optional(),
  /** Calls of hosted tools, before the text. Only the Responses wire has them. */
  hosted: z.array(ScriptedHosted).optional(),
  /** The citations of the text, if a hosted tool was called. */
  citations: z.array(ScriptedCitation).optional(),
  finish_reason: z.string().optional(),
  usage: Usage.nullish(),
  fault: Fault.optional(),
  background: Background.optional(),
  batch: Batch.optional(),
});
export type ScriptedReply = z.output<typeof ScriptedReply>;

/** The script of the simulated model: the value of `sim` in the last user message (docs/simulator.md). */
export const Script = z.strictObject({
  ...pace,
  rounds: z.array(ScriptedReply).default([]),
  /** The default is `Done.`, in the form that the request demands. */
  answer: z.string().optional(),
  final: ScriptedReply.optional(),
  /** The replies to reports of an invalid answer, in order. */
  repairs: z.array(ScriptedReply).default([]),
  /** The summary of a conversation that contains this script. */
  summary: ScriptedReply.optional(),
  /** The context window of this model. A longer request is refused as too long. */
  context_tokens: z.int().min(1).optional(),
  /** The form of this model's calls: native, or in its text for the other two tool modes. */
  calls_as: z.enum(['native', 'json', 'inline']).default('native'),
  /** How batches run, unless a round says otherwise. */
  batch: Batch.optional(),
  /** Whether the server of the model answers 400 to tools. */
  refuses_tools: z.boolean().default(false),
});
export type Script = z.output<typeof Script>;

/** The script of a user message: none, a valid script, or a script with an error at `param`. */
export type FoundScript =
  | { kind: 'none' }
  | { kind: 'script'; script: Script }
  | { kind: 'broken'; param: string; message: string };

const Envelope = z.object({ sim: z.unknown() });

/** Finds the script in a user message: the whole text, a fenced block, or the first `{"sim":` object in prose. */
export function findScript(text: string): FoundScript {
  if (!text.includes('"sim"')) return { kind: 'none' };

  const whole = parseJson(text) ?? parseJson(/```(?:json)?\s*([\s\S]*?)```/.exec(text)?.[1]);
  const envelope = Envelope.safeParse(whole);
  if (envelope.success) return readScript(envelope.data.sim);

  const start = text.search(/\{\s*"sim"\s*:/);
  if (start < 0) return { kind: 'none' };
  const object = Envelope.safeParse(parseJson(balancedObject(text.slice(start))));
  if (object.success) return readScript(object.data.sim);
  return { kind: 'broken', param: 'sim', message: 'the object that starts with {"sim": is not valid JSON' };
}

function readScript(sim: unknown): FoundScript {
  const parsed = Script.safeParse(sim);
  if (parsed.success) return { kind: 'script', script: parsed.data };
  const issue = parsed.error.issues[0];
  return { kind: 'broken', param: pathName(issue?.path ?? []), message: issue?.message ?? 'unreadable' };
}

function pathName(path: PropertyKey[]): string {
  return `sim${path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('')}`;
}

function parseJson(text: string | undefined): unknown {
  if (!text?.trimStart().startsWith('{')) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns the object that starts at the first character, up to its closing brace. Ignores braces inside strings. */
function balancedObject(text: string): string {
  let depth = 0;
  for (const { 0: token, index } of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}]/g)) {
    if (token === '{') depth += 1;
    if (token === '}') depth -= 1;
    if (depth === 0) return text.slice(0, index + 1);
  }
  return text;
}
