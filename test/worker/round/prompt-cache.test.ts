import { expect, test } from 'vitest';
import { type AnthropicBody, anthropicBlocks, markOf } from '#test/llm/prompt-cache/anthropic-blocks.ts';
import { inputOf, sumCounts, type TokenCount } from '#test/llm/prompt-cache/token-count.ts';
import {
  anthropic,
  type Cached,
  callUntil,
  gemini,
  longPrefix,
  olderOpenai,
  olderResponses,
  openai,
  openCached,
  responses,
} from './open-cached.ts';

const models = [anthropic, openai, olderOpenai, responses, olderResponses, gemini];
const needsOnce = new Map<unknown, string[]>([
  [olderResponses, ['Encrypted content is not supported with this model.']],
]);
/** Returns the messages with which a model's server refuses a field once. Pawl then omits the field. */
const refusalsOf = (on: unknown) => needsOnce.get(on) ?? [];
const ROUNDS = 10;

/** Returns the share of input tokens that the cache served after the first request. */
function cachedShare(counts: readonly TokenCount[]): number {
  const later = sumCounts(counts.slice(1));
  return later.read / inputOf(later);
}

function expectOwnBill({ server }: Cached, { usage }: Awaited<ReturnType<Cached['run']>>) {
  const sum = sumCounts(server.counts);
  expect(usage).toMatchObject({
    input_tokens: inputOf(sum),
    cached_input_tokens: sum.read,
    cache_write_tokens: sum.written + sum.writtenForHour,
    output_tokens: sum.output,
  });
  expect(usage.cost_usd).toBeCloseTo(server.bill(), 8);
}

test.for(models)('ten rounds of $model read at least 85 % of their input from the prompt cache', async (on) => {
  await using cached = await openCached(on, { reply: callUntil(ROUNDS) });

  const turn = await cached.run(longPrefix);

  const { server } = cached;
  expect(server.refusals).toEqual(refusalsOf(on));
  expect(turn).toMatchObject({ status: 'completed', output: 'The report is fine.', round: ROUNDS });
  expect(server.counts).toHaveLength(ROUNDS);
  expect(inputOf(server.counts[0]!)).toBeGreaterThan(7_500);
  expect(inputOf(server.counts[0]!)).toBeLessThan(9_000);
  expect(cachedShare(server.counts)).toBeGreaterThanOrEqual(0.85);
  expectOwnBill(cached, turn);
});

test.for([openai, olderOpenai, responses, olderResponses, gemini])(
  'the last round of $model at a limit reads the prompt cache',
  async (on) => {
    await using cached = await openCached(on, { reply: callUntil(ROUNDS) });

    const turn = await cached.run({ ...longPrefix, limits: { max_rounds: ROUNDS - 1 } });

    const { server } = cached;
    expect(server.refusals).toEqual(refusalsOf(on));
    expect(turn).toMatchObject({ status: 'incomplete', incomplete_details: { reason: 'max_rounds' }, round: ROUNDS });
    expect(cachedShare(server.counts)).toBeGreaterThanOrEqual(0.85);
    expect(cachedShare(server.counts.slice(-2))).toBeGreaterThanOrEqual(0.85);
    expectOwnBill(cached, turn);
  },
);

test('the last round of Anthropic at a limit reads tools and system from the cache', async () => {
  await using cached = await openCached(anthropic, { reply: callUntil(ROUNDS) });

  const turn = await cached.run({ ...longPrefix, limits: { max_rounds: ROUNDS - 1 } });

  const { server } = cached;
  expect(server.refusals).toEqual([]);
  expect(turn).toMatchObject({ status: 'incomplete', round: ROUNDS });
  expect(cachedShare(server.counts.slice(0, -1))).toBeGreaterThanOrEqual(0.85);
  expect(server.counts.at(-1)!.read).toBeGreaterThan(7_500);
  expectOwnBill(cached, turn);
});

/** The fields with which each wire forbids calls. */
const noCalls = new Map<unknown, object>([
  [anthropic, { tool_choice: { type: 'none' } }],
  [openai, { tool_choice: 'none' }],
  [olderOpenai, { tool_choice: 'none' }],
  [responses, { tool_choice: 'none' }],
  [olderResponses, { tool_choice: 'none' }],
  [gemini, { toolConfig: { functionCallingConfig: { mode: 'NONE' } } }],
]);

test.for(models)('last and repair rounds of $model keep the tools and forbid calls', async (on) => {
  const schema = { type: 'object', properties: { pages: { type: 'integer' } }, required: ['pages'] };
  const output_schema = { name: 'report', schema: { ...schema, additionalProperties: false } };
  const answers = ['{"pages":"three"}', '{"pages":"three"}', '{"pages":3}'];
  const reply = (request: number) => (request < 3 ? callUntil(3)(request) : { text: answers[request - 3]! });
  await using cached = await openCached(on, { reply });

  const limited = await cached.run({ ...longPrefix, limits: { max_rounds: 2 } });
  const repaired = await cached.run({ ...longPrefix, output_schema });

  const { answered, refusals } = cached.server;
  const [first, , last, asked, repair] = answered;
  expect(refusals).toEqual(refusalsOf(on));
  expect([limited.status, repaired.status]).toEqual(['incomplete', 'completed']);
  expect([last!.tools, repair!.tools]).toEqual([first!.tools, first!.tools].map(withoutMarks));
  for (const body of [last, repair]) expect(body).toMatchObject(noCalls.get(on)!);
  for (const body of [first, asked]) expect(body).not.toMatchObject(noCalls.get(on)!);
});

function withoutMarks(tools: unknown): unknown {
  return JSON.parse(JSON.stringify(tools).replaceAll(/,"cache_control":\{[^}]*\}/g, ''));
}

test('a call in the reply of a last round is dropped', async () => {
  await using cached = await openCached(openai, { reply: callUntil(9) });

  const turn = await cached.run({ ...longPrefix, limits: { max_rounds: 2 } });

  expect(turn).toMatchObject({ status: 'incomplete', output: 'Reading on.', round: 3 });
  expect(cached.server.answered).toHaveLength(3);
});

test('Anthropic gets marks at the ends of the system prompt and of both requests', async () => {
  await using cached = await openCached(anthropic, { reply: callUntil(4) });

  await cached.run(longPrefix);

  const requests = cached.server.answered.map((body) => anthropicBlocks(body as AnthropicBody));
  for (const [index, blocks] of requests.entries()) {
    const marked = [...blocks.entries()].filter(([, block]) => markOf(block)).map(([at]) => at);
    const system = blocks.findLastIndex(({ tier }) => tier === 'system');
    const previous = index === 0 ? [] : [requests[index - 1]!.length - 1];
    expect(marked).toEqual([system, ...previous, blocks.length - 1]);
  }
});

test('the last tool has the first mark of Anthropic if there is no system prompt', async () => {
  await using cached = await openCached(anthropic);

  await cached.run({ tools: longPrefix.tools });

  const { tools, system, messages } = cached.server.answered[0] as AnthropicBody;
  expect(system).toBeUndefined();
  expect(tools?.map(({ cache_control: mark }) => mark)).toEqual([
    ...tools!.slice(1).map(() => undefined),
    { type: 'ephemeral' },
  ]);
  expect(messages).toMatchObject([{ content: [{ cache_control: { type: 'ephemeral' } }] }]);
});

test('a round with 25 parallel calls of Anthropic does not miss the prompt cache', async () => {
  await using cached = await openCached(anthropic, { reply: callUntil(3, 25) });

  const turn = await cached.run(longPrefix);

  const [first, second, third] = cached.server.counts;
  expect(turn.status).toBe('completed');
  expect(second?.read).toBe(inputOf(first!));
  expect(third?.read).toBe(inputOf(second!));
});

test('the second turn of a conversation reads the first from the prompt cache', async () => {
  for (const on of models) {
    await using cached = await openCached(on, { reply: () => ({ text: 'The report is fine. '.repeat(300) }) });
    const turn = await cached.run(longPrefix);

    await cached.run({ ...longPrefix, input: 'Really?' }, turn.conversation_id);

    const [first, second] = cached.server.counts;
    expect(second?.read).toBeGreaterThan(inputOf(first!) - 200);
  }
});
