import { sql } from 'kysely';
import { expect } from 'vitest';
import { loadTurn } from '#core/checkpoint/turns/reading/find.ts';
import { loadPlanned, outlineHistory } from '#core/checkpoint/turns/reading/outline.ts';
import { allCalls } from '#core/turn/call.ts';
import { planLoading, planShortened } from '#core/turn/compaction/plan-loading.ts';
import { openLease, startRun } from '#services/worker/lease/run.ts';
import { openHistory } from '#services/worker/round/open-history.ts';
import { makeTurnCache } from '#services/worker/turn-cache.ts';
import { createHarness } from '#test/harness/create-harness.ts';
import { scripted } from '#test/harness/scripted.ts';
import { testWith } from '#test/harness/test.ts';
import { converse, requestedRoles, summariesAsked } from '#test/worker/compaction/converse.ts';

const LIMIT = { PAWL_HISTORY_LIMIT: '40000' };
const words = 'word '.repeat(3_000);
const visit = (id: string) => ({ name: 'note_visit', arguments: { city: 'Lisbon' }, id });

const test = testWith({ env: LIMIT });

test('a turn fails as context_length_exceeded when its history exceeds the limit', async ({ harness }) => {
  const { say } = await converse(harness, { strategy: 'none' });

  const turns = [await say(words), await say(words), await say(words)];
  const other = await harness.runTurn({ input: 'Hi' });

  expect(turns.map(({ status }) => status)).toEqual(['completed', 'completed', 'failed']);
  expect(turns[2]?.error).toMatchObject({
    ...{ type: 'provider_error', code: 'context_length_exceeded', retryable: false },
    message: expect.stringContaining('PAWL_HISTORY_LIMIT'),
  });
  expect((await harness.findTurn(other.id)).status).toBe('completed');
  expect(harness.modelRequests).toHaveLength(3);
});

test('a history beyond the limit is summarized if its turn allows it', async ({ harness }) => {
  const { say } = await converse(harness, { strategy: 'summarize', keep_last_rounds: 1 });
  const tools = ['note_visit'];
  const city = (id: string) => ({ name: 'note_visit', arguments: { city: words.slice(0, 6_000) }, id });
  const rounds = (id: string) =>
    scripted({ rounds: [{ tools: [city(id)] }], answer: 'Done.', summary: { say: 'Cities.' } });

  const turns = [await say(rounds('call_a'), { tools }), await say(rounds('call_b'), { tools }), await say('Hi')];

  expect(turns.map(({ status }) => status)).toEqual(['completed', 'completed', 'completed']);
  expect(turns[2]?.compactions).toMatchObject([{ strategy: 'summarize', summary: 'Cities.' }]);
});

test('a turn with summarized older turns continues if all its turns exceed the limit', async ({ harness }) => {
  const { say } = await converse(harness, { strategy: 'summarize', max_input_tokens: 3_000, keep_last_rounds: 1 });
  const input = `${scripted({ answer: 'Yes.', summary: { say: 'They talked.' } })}${' '.repeat(9_000)}`;

  const turns = [];
  for (let count = 0; count < 8; count += 1) turns.push(await say(input));

  expect(new Set(turns.map(({ status }) => status))).toEqual(new Set(['completed']));
  expect(summariesAsked(harness).length).toBeGreaterThan(1);
  expect(requestedRoles(harness.modelRequests.at(-1)!)).toBe('user user assistant user');
});

test('results of a history beyond the limit are dropped if its turn allows it', async ({ harness }) => {
  const { say } = await converse(harness, { strategy: 'drop_tool_results', keep_last_rounds: 1 });
  const tools = [
    { name: 'read', description: 'Reads a long text', parameters: { type: 'object' }, execution: { kind: 'client' } },
  ];
  const input = scripted({ rounds: [{ tools: [{ name: 'read', arguments: {}, id: 'call_a' }] }], answer: 'Read.' });
  const read = async () => {
    const { id } = await say(input, { tools });
    await harness.call('POST', `/v1/turns/${id}/tool_outputs`, {
      body: { tool_outputs: [{ tool_call_id: 'call_a', output: words }] },
    });
    await harness.workUntilIdle();
    return harness.findTurn(id);
  };

  const turns = [await read(), await read(), await read(), await read(), await read()];

  expect(turns.map(({ status }) => status)).toEqual(Array(5).fill('completed'));
  expect(turns.at(-1)?.compactions).toMatchObject([{ strategy: 'drop_tool_results' }]);
  const results = harness.modelRequests.at(-1)!.body.messages.filter(({ role }) => role === 'tool');
  expect(results.map(({ content }) => content === words)).toEqual([false, false, false, false, true]);
});

test('results that a compaction has dropped are not loaded, even below the limit', async () => {
  await using harness = await createHarness({ env: { PAWL_HISTORY_LIMIT: '400000' } });
  const context = { strategy: 'drop_tool_results', max_input_tokens: 5_000, keep_last_rounds: 1 };
  const { say } = await converse(harness, context);
  const tools = [
    { name: 'read', description: 'Reads a long text', parameters: { type: 'object' }, execution: { kind: 'client' } },
  ];
  const input = scripted({ rounds: [{ tools: [{ name: 'read', arguments: {}, id: 'call_a' }] }], answer: 'Read.' });
  for (let count = 0; count < 4; count += 1) {
    const { id } = await say(input, { tools });
    const body = { tool_outputs: [{ tool_call_id: 'call_a', output: words }] };
    await harness.call('POST', `/v1/turns/${id}/tool_outputs`, { body });
    await harness.workUntilIdle();
  }
  const { id } = await say(scripted({ answer: 'Yes.' }));

  const turn = (await loadTurn(harness.db, id))!;
  using lease = openLease('run_of_test', turn);
  using history = await openHistory(startRun(lease, { turn }), harness.worker);

  const lengths = history.earlier.flatMap((earlier) => allCalls(earlier).map(({ result }) => result?.content?.length));
  expect(harness.modelRequests.at(-1)?.body.messages.length).toBeGreaterThan(12);
  expect(lengths).toHaveLength(4);
  expect(lengths.filter((length) => length === words.length).length).toBeLessThan(2);
});

test('a shortened result ends with a whole escape, at any cut', async ({ harness }) => {
  const turn = await harness.runTurn({
    input: scripted({ rounds: [{ tools: [{ name: 'note_visit', arguments: { city: 'Lisbon' } }] }], answer: 'Noted.' }),
    tools: ['note_visit'],
  });
  const content = `"\\\u0000\ud83d\ude00\ud83d é\n\\\\`.repeat(40);
  const result = {
    status: 'success',
    content,
    error: null,
    truncated: false,
    cached: false,
    duration_ms: 1,
    attempts: 1,
  };
  await sql`update tool_calls set result = ${JSON.stringify(result)}::text::json`.execute(harness.db);
  const outline = await outlineHistory(harness.db, turn.conversation_id);
  const plan = planLoading(outline.map((one) => one.turn));

  for (let characters = 1; characters < 40; characters += 1) {
    const outlined = { conversationId: turn.conversation_id, outline };
    const [loaded] = await loadPlanned(harness.db, outlined, planShortened(plan, characters));
    const shortened = loaded!.rounds[0]!.calls[0]!.result!;
    expect(shortened.content).toBe(content.slice(0, shortened.content?.length));
    expect(shortened.truncated).toBe(true);
  }
});

test('a turn with a large input runs, and fails only if its input exceeds the limit', async ({ harness }) => {
  const input = (size: number) =>
    `${scripted({ rounds: [{ tools: [visit('call_a')] }], answer: 'Noted.' })}${' '.repeat(size)}`;
  const [large, tooLarge] = await Promise.all(
    [20_000, 50_000].map((size) => harness.startTurn({ input: input(size), tools: ['note_visit'] })),
  );

  await harness.workUntilIdle();

  expect(await harness.findTurn(large!.id)).toMatchObject({ status: 'completed', output: 'Noted.' });
  expect(await harness.findTurn(tooLarge!.id)).toMatchObject({ error: { code: 'context_length_exceeded' } });
});

test.each(['summarize', 'drop_tool_results'])(
  'a turn with its own results beyond the limit continues with %s, on any worker',
  async (strategy) => {
    await using harness = await createHarness({ env: LIMIT });
    const context = { strategy, keep_last_rounds: 1 };
    const tools = [
      { name: 'read', description: 'Reads a long text', parameters: { type: 'object' }, execution: { kind: 'client' } },
    ];
    const ids = ['call_a', 'call_b', 'call_c', 'call_d', 'call_e', 'call_f'];
    const rounds = ids.map((id) => ({ tools: [{ name: 'read', arguments: {}, id }] }));
    const input = scripted({ rounds, answer: 'Read.', summary: { say: 'Words.' } });
    const { id } = await harness.runTurn({ input, tools, context });
    for (const tool_call_id of ids) {
      const body = { tool_outputs: [{ tool_call_id, output: words }] };
      await harness.call('POST', `/v1/turns/${id}/tool_outputs`, { body });
      harness.worker.turnCache = makeTurnCache(harness.db, harness.worker.memory);
      await harness.workUntilIdle();
    }

    const turn = await harness.findTurn(id);
    expect(turn).toMatchObject({ status: 'completed', output: 'Read.' });
    expect(turn.compactions?.every((compaction) => compaction.strategy === strategy)).toBe(true);
    const results = harness.modelRequests.at(-1)!.body.messages.filter(({ role }) => role === 'tool');
    expect(results.at(-1)?.content).toBe(words);
  },
);
