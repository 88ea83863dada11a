import fc from 'fast-check';
import { cleanText } from '#core/text.ts';
import type { ToolChoice } from '#core/turn/config/tool-choice.ts';
import { fillLimits } from '#core/turn/limits.ts';
import type { InputMessage } from '#core/turn/message.ts';
import type { NewTurn } from '#core/turn/predict.ts';
import type { Reply } from '#core/turn/reply.ts';
import type { ToolEffect } from '#core/turn/request/tool.ts';
import type { TurnConfig } from '#core/turn/request/turn.ts';
import type { ToolResult } from '#core/turn/tool-result.ts';
import type { WaitsFor } from '#core/turn/turn.ts';

const text = fc.string({ unit: 'grapheme', maxLength: 12 }).map(cleanText);
const json = fc.jsonValue({ maxDepth: 2 }).map((value): object | null => JSON.parse(JSON.stringify(value)));
const jsonObject = fc.dictionary(fc.constantFrom('a', 'b', 'state'), json);
const count = fc.nat({ max: 1_000_000 });

const message: fc.Arbitrary<InputMessage> = fc.record({
  role: fc.constantFrom('user', 'assistant', 'system'),
  content: text,
});

const config: fc.Arbitrary<TurnConfig> = fc.record({
  model: fc.constantFrom('openai/gpt-4.1', 'sim/demo', 'ollama/a/b'),
  instructions: fc.option(text),
  tools: fc.constant([]),
  tool_choice: fc.constantFrom<ToolChoice[]>('auto', 'none', { type: 'specific', name: 'look' }),
  tool_mode: fc.constantFrom('native', 'emulated', 'inline'),
  parallel_tool_calls: fc.option(fc.boolean()),
  temperature: fc.option(fc.constantFrom(0, 0.2, 2)),
  ...{ top_p: fc.constant(null), reasoning_effort: fc.constant(null), verbosity: fc.constant(null) },
  max_output_tokens: fc.option(count),
  limits: fc.record({ deadline_seconds: fc.option(fc.integer({ min: 60, max: 1_000 })) }).map(fillLimits),
  allowed_capabilities: fc.option(fc.constant(['network'])),
  provider_options: jsonObject,
  webhook: fc.option(fc.constant({ url: 'https://one.example', events: ['round.completed' as const], include: [] })),
});

/** A turn that a caller starts, without its ids: each attempt uses new ids. */
export type TurnRequest = Omit<NewTurn, 'id' | 'conversationId'>;

export const someRequest: fc.Arbitrary<TurnRequest> = fc.record({
  project: fc.constantFrom('default', 'other'),
  config,
  input: fc.array(message, { minLength: 1, maxLength: 3 }),
  priority: fc.integer({ min: -1000, max: 1000 }),
  metadata: fc.dictionary(fc.constantFrom('k', 'order'), text),
  stored: fc.boolean(),
});

const reply: fc.Arbitrary<Reply> = fc.record(
  {
    text: fc.option(text),
    calls: fc.constant([]),
    finishReason: fc.constantFrom('tool_calls', 'stop', 'other'),
    finishReasonRaw: fc.option(text),
    usage: fc.option(
      fc.record({
        ...{ input_tokens: count, output_tokens: count, total_tokens: count },
        ...{ cached_input_tokens: count, cache_write_tokens: count, reasoning_tokens: count },
      }),
    ),
    opaque: fc.option(json),
    requests: fc.integer({ min: 1, max: 4 }),
    hosted: fc.record({
      calls: fc.array(
        fc.record({
          id: text,
          type: fc.constantFrom('web_search', 'code_execution'),
          status: fc.constantFrom('completed', 'failed'),
          ...{ input: fc.option(jsonObject), output: fc.option(text), error: fc.option(text), offset: count },
        }),
        { maxLength: 2 },
      ),
      annotations: fc.array(
        fc.record({ type: fc.constant('url_citation'), url: text, start_index: count, end_index: count }),
        { maxLength: 2 },
      ),
      images: fc.array(fc.record({ url: text, offset: count }), { maxLength: 1 }),
    }),
  },
  { requiredKeys: ['text', 'calls', 'finishReason', 'finishReasonRaw', 'usage', 'opaque'] },
);

const result: fc.Arbitrary<ToolResult> = fc.record(
  {
    status: fc.constantFrom('success', 'error'),
    content: fc.option(text),
    error: fc.option(
      fc.record({ category: fc.constantFrom('unknown', 'cancelled'), message: text, details: jsonObject }),
    ),
    truncated: fc.boolean(),
    partial: fc.constant(true as const),
    cached: fc.boolean(),
    duration_ms: count,
    attempts: fc.nat({ max: 10 }),
  },
  { requiredKeys: ['status', 'content', 'error', 'truncated', 'cached', 'duration_ms', 'attempts'] },
);

const call = fc.record({
  name: fc.constantFrom('look', 'send', 'grüße'),
  arguments: fc.oneof(fc.json({ maxDepth: 1 }), text),
  effect: fc.constantFrom<ToolEffect>('none', 'idempotent', 'at_most_once'),
  waitsFor: fc.constantFrom<(WaitsFor | null)[]>(...Array.from({ length: 20 }, () => null), 'output', 'approval'),
  result,
  /** Whether the call is answered in an earlier statement than its siblings. */
  isEarly: fc.boolean(),
});

/** The values that earlier attempts of a step left in its row. */
const past = fc.record({
  starts: fc.nat({ max: 9 }),
  generation: fc.nat({ max: 20 }),
  attempts: fc.nat({ max: 4 }),
  waitedMs: fc.nat({ max: 600_000 }),
  failedRequests: fc.nat({ max: 9 }),
  isRateLimited: fc.boolean(),
  isLeased: fc.boolean(),
});

const nextRun = fc.constantFrom(null, 'next');

/** A round with calls and results. `goesOn`: the source of the next step. `nextRuns`: runs that continue, or null. */
export const someRound = fc.record({
  reply,
  calls: fc.array(call, { minLength: 1, maxLength: 4 }),
  attempts: fc.integer({ min: 1, max: 20 }),
  startedAt: fc.integer({ min: Date.UTC(2026, 0), max: Date.UTC(2027, 0) }),
  warnings: fc.array(text, { maxLength: 2 }),
  beforeRound: fc.option(past),
  beforeBatch: fc.option(past),
  goesOn: fc.constantFrom('as predicted', 'as read'),
  nextRuns: fc.record({ batch: nextRun, round: nextRun }),
});

export type SomeRound = typeof someRound extends fc.Arbitrary<infer Round> ? Round : never;
export type Past = NonNullable<SomeRound['beforeRound']>;
