import { expect } from 'vitest';
import { createHarness } from '#test/harness/create-harness.ts';
import { scripted } from '#test/harness/scripted.ts';
import { test } from '#test/harness/test.ts';
import { converse, long, requestedRoles, summariesAsked } from './converse.ts';

const weather = (id: string) => ({ name: 'weather_lookup', arguments: { city: 'Tokyo' }, id });

test('a history that is refused as too long is compacted once, and its round repeated', async ({ harness }) => {
  const { say } = await converse(harness, { strategy: 'summarize', keep_last_rounds: 1 });
  const script = { answer: long, summary: { say: 'They greeted.' } };

  await say(scripted(script));
  await say(scripted(script));
  const turn = await say(scripted({ ...script, context_tokens: 1_100 }));

  expect(turn).toMatchObject({
    status: 'completed',
    output: long,
    compactions: [{ round: 1, summary: 'They greeted.' }],
  });
  // The refused request, the summary, the round.
  expect(turn.usage.llm_calls).toBe(3);
  expect(turn.rounds[0]?.attempts).toBe(1);
});

test('a round that was refused within its text is published as a new draft', async ({ harness }) => {
  const { path, say } = await converse(harness, { strategy: 'summarize', keep_last_rounds: 1 });
  const script = { answer: long, summary: { say: 'They greeted.' } };
  const error = { code: 'context_length_exceeded', message: 'Too long.' };
  const fault = { kind: 'error_event' as const, after_chars: 500, body: { error }, times: 1 };

  await say(scripted(script));
  await say(scripted(script));
  const input = scripted({ ...script, final: { fault, pace_ms: 20, piece_chars: 100 } });
  const { body } = await harness.call<{ id: string }>('POST', `${path}/turns`, { body: { input } });
  harness.worker.watchers.markWatched(body.id);
  await harness.workUntilIdle();
  const rounds = await harness.db.selectFrom('rounds').select('draft').where('turn_id', '=', body.id).execute();

  expect(await harness.findTurn(body.id)).toMatchObject({ status: 'completed', compactions: [{ round: 1 }] });
  expect(rounds).toEqual([{ draft: 1 }]);
});

test('a request that is too long after the compaction fails the turn', async ({ harness }) => {
  const { say } = await converse(harness, { strategy: 'summarize', keep_last_rounds: 1 });
  const script = { answer: long, summary: { say: 'They greeted.' } };

  await say(scripted(script));
  await say(scripted(script));
  const turn = await say(scripted({ ...script, context_tokens: 100 }));

  expect(turn).toMatchObject({ status: 'failed', error: { code: 'context_length_exceeded' } });
  expect(summariesAsked(harness)).toHaveLength(1);
});

test.for([
  ['longer than the text it replaces', { say: '{{conversation}} {{conversation}}' }],
  ['refused', { refusal: 'I will not.' }],
])('a summary that is %s is recorded, does not compact and is not requested again', async ([, summary]) => {
  await using harness = await createHarness();
  const { say } = await converse(harness, { strategy: 'summarize', max_input_tokens: 1_000, keep_last_rounds: 1 });
  const script = { answer: long, summary: summary as object };
  const failsOnce = { ...script, final: { fault: { kind: 'status' as const, status: 503, times: 1 } } };

  await say(scripted(script));
  await say(scripted(script));
  const turn = await say(scripted(failsOnce), {}, { attempts: 2 });

  expect(turn).toMatchObject({ status: 'completed', compactions: [{ round: 1, summary: null }] });
  expect(turn.compactions?.[0]?.after_tokens).toBe(turn.compactions?.[0]?.before_tokens);
  expect((await harness.listEvents(turn.id)).map(({ type }) => type)).not.toContain('context.compacted');
  expect(requestedRoles(harness.modelRequests.at(-1)!)).toBe('user assistant user assistant user');
  expect(summariesAsked(harness)).toHaveLength(1);
});

test('an empty summary is requested five times, and then its round is sent uncompacted', async ({ harness }) => {
  const { say } = await converse(harness, { strategy: 'summarize', max_input_tokens: 1_000, keep_last_rounds: 1 });
  const answer = scripted({ answer: long, summary: { say: ' ' } });

  await say(answer);
  await say(answer);
  const turn = await say(answer, {}, { attempts: 5 });

  expect(turn).toMatchObject({ status: 'completed', compactions: [{ round: 1, summary: null }] });
  expect(turn).toMatchObject({ rounds: [{ attempts: 1 }], usage: { llm_calls: 6 } });
  expect(summariesAsked(harness)).toHaveLength(5);
});

test.for([
  ['is empty', { say: ' ' }, 5],
  ['is refused', { refusal: 'I will not.' }, 1],
] as const)('if a summary %s, its turn drops results and requests no other summary', async ([, summary, times]) => {
  await using harness = await createHarness();
  const { say } = await converse(
    harness,
    { strategy: 'summarize', max_input_tokens: 1_000, keep_last_rounds: 1 },
    { tools: ['weather_lookup'] },
  );
  const rounds = ['a', 'b', 'c', 'd', 'e', 'f'].map((id) => ({ say: long, tools: [weather(`call_${id}`)] }));

  const turn = await say(scripted({ rounds, answer: 'Done.', summary }), {}, { attempts: 5 });

  expect(summariesAsked(harness)).toHaveLength(times);
  expect(turn).toMatchObject({ status: 'completed', usage: { llm_calls: 7 + times } });
  const [first, ...later] = turn.compactions ?? [];
  expect(first).toMatchObject({ strategy: 'drop_tool_results', summary: null, model: 'openai/test' });
  expect(later.map(({ strategy, model }) => [strategy, model])).toContainEqual(['drop_tool_results', null]);
  const results = harness.modelRequests.at(-1)?.body.messages.filter(({ role }) => role === 'tool');
  expect(results?.map(({ content }) => content)).toEqual([
    ...Array(5).fill('(dropped to make room)'),
    expect.stringContaining('sunny'),
  ]);
});

test('the next turn requests a summary again after a turn without a summary', async ({ harness }) => {
  const { say } = await converse(harness, { strategy: 'summarize', max_input_tokens: 1_000, keep_last_rounds: 1 });
  const refused = scripted({ answer: long, summary: { refusal: 'I will not.' } });

  for (const _ of [1, 2, 3]) await say(refused);
  const before = summariesAsked(harness).length;
  await say(refused);

  expect([before, summariesAsked(harness).length]).toEqual([1, 2]);
});

test('no history is compacted if all rounds must be kept, and the round is sent', async ({ harness }) => {
  const { say } = await converse(harness, { strategy: 'summarize', max_input_tokens: 1_000 });
  const answer = scripted({ answer: long });

  for (const _ of [1, 2, 3, 4]) await say(answer);
  const turn = await say(answer);

  expect(turn).toMatchObject({ status: 'completed' });
  expect(turn.compactions).toBeUndefined();
  expect(summariesAsked(harness)).toHaveLength(0);
});

test('a failing summary is retried like a round, and then fails its turn', async ({ harness }) => {
  const { say } = await converse(harness, { strategy: 'summarize', max_input_tokens: 1_000, keep_last_rounds: 1 });
  const busy = { kind: 'status' as const, status: 503, retry_after: 30 };
  const script = (times: number) => scripted({ answer: long, summary: { say: 'Hi.', fault: { ...busy, times } } });

  await say(script(3));
  await say(script(3));
  const third = await say(script(3), {}, { attempts: 3 });
  const types = (await harness.listEvents(third.id)).map(({ type }) => type);

  expect(third).toMatchObject({ status: 'completed', rounds: [{ attempts: 1 }], usage: { llm_calls: 4 } });
  expect(types.filter((type) => type === 'step.retrying')).toHaveLength(2);
});

test('a job that is delivered twice requests one summary', async ({ harness }) => {
  const { say } = await converse(harness, { strategy: 'summarize', max_input_tokens: 1_000, keep_last_rounds: 1 });
  const answer = scripted({ answer: long, summary: { say: 'They greeted.' } });

  await say(answer);
  await say(answer);
  const turn = await say(answer, {}, { deliveries: 2 });

  expect(turn.status).toBe('completed');
  expect(summariesAsked(harness)).toHaveLength(1);
});

test('the second of two runs before the same round uses the summary of the first run', async ({ harness }) => {
  const rounds = ['a', 'b', 'c'].map((id) => ({
    ...{ say: long, tools: [weather(`call_${id}`)] },
    usage: { prompt_tokens: 1_500, completion_tokens: 90 },
  }));
  const context = { strategy: 'summarize', max_input_tokens: 1_000, keep_last_rounds: 1 };
  const input = scripted({ rounds, answer: 'Done.', summary: { say: 'Looked.', think_ms: 50 } });

  const { id } = await harness.startTurn({ input, tools: ['weather_lookup'], context });
  const twice: typeof harness.handle = async (job) =>
    void (await Promise.all([harness.handle(job), harness.handle(job)]));
  while (await harness.workOnce(twice));
  const { status, compactions } = await harness.findTurn(id);
  const asked = harness.modelRequests.filter((request) => !summariesAsked(harness).includes(request));
  const byRound = Map.groupBy(asked, ({ headers }) => String(headers['x-client-request-id']).split('.')[1]);

  expect(status).toBe('completed');
  expect(compactions?.map(({ round }) => round)).toEqual([3, 4]);
  expect(summariesAsked(harness).length).toBeGreaterThan(2);
  for (const requests of byRound.values())
    expect(new Set(requests.map(({ body }) => JSON.stringify(body.messages))).size).toBe(1);
  expect((await harness.listEvents(id)).filter(({ type }) => type === 'context.compacted')).toHaveLength(2);
});

test('a rate-limited model is not asked for a summary, and the round waits for it', async ({ harness }) => {
  const limited = { kind: 'status' as const, status: 429, retry_after: 2, times: 1 };
  const context = { strategy: 'summarize', max_input_tokens: 1_000, keep_last_rounds: 1, model: 'openai/small' };
  const { say } = await converse(harness, context);
  const answer = scripted({ answer: long, summary: { say: 'They greeted.', fault: limited } });

  await say(answer);
  await say(answer);
  const waiting = await say(answer);

  expect(waiting).toMatchObject({ status: 'in_progress', waiting: { for: 'provider' } });
  expect(harness.worker.rateLimits.allows('openai/test')).toBe(true);
  expect(harness.worker.rateLimits.allows('openai/small')).toBe(false);
});

test('a garbled summary is requested again, like a round', async ({ harness }) => {
  const { say } = await converse(harness, { strategy: 'summarize', max_input_tokens: 1_000, keep_last_rounds: 1 });
  const fault = { kind: 'garbage' as const, times: 1 };
  const answer = scripted({ answer: long, summary: { say: 'They greeted.', fault } });

  await say(answer);
  await say(answer);
  const turn = await say(answer, {}, { attempts: 2 });

  expect(turn).toMatchObject({ status: 'completed', compactions: [{ summary: 'They greeted.' }] });
});

test('the tokens of a summary count toward the limit of the turn', async ({ harness }) => {
  const { say } = await converse(harness, { strategy: 'summarize', max_input_tokens: 1_000, keep_last_rounds: 1 });
  const usage = { prompt_tokens: 50_000, completion_tokens: 5 };
  const rounds = [{ tools: [weather('call_a')] }, { tools: [weather('call_b')] }];
  const script = { answer: long, summary: { say: 'They greeted.', usage } };

  await say(scripted(script));
  await say(scripted(script));
  const turn = await say(scripted({ ...script, rounds }), {
    tools: ['weather_lookup'],
    limits: { max_total_tokens: 40_000 },
  });

  expect(turn).toMatchObject({ status: 'incomplete', incomplete_details: { reason: 'max_total_tokens' } });
});
