import { expect } from 'vitest';
import type { Harness } from '#test/harness/create-harness.ts';
import { scripted } from '#test/harness/scripted.ts';
import { test } from '#test/harness/test.ts';
import { converse, long, requestedRoles, summariesAsked } from './converse.ts';

const weather = (id: string) => ({ name: 'weather_lookup', arguments: { city: 'Tokyo' }, id });

test('a summary replaces all but the last rounds before a request that is too large', async ({ harness }) => {
  const context = { strategy: 'summarize', max_input_tokens: 1_000, keep_last_rounds: 1 };
  const { say } = await converse(harness, context, { instructions: 'Be kind.' });
  const answer = scripted({ answer: long, summary: { say: ' They greeted. ' } });

  const [first, second, third] = [await say(answer), await say(answer), await say(answer)];

  expect([first?.compactions, second?.compactions]).toEqual([undefined, undefined]);
  expect(third?.compactions).toEqual([
    {
      ...{ round: 1, strategy: 'summarize', up_to_turn: first?.id, up_to_round: 1, summary: 'They greeted.' },
      ...{ model: 'openai/test', usage: expect.objectContaining({ output_tokens: 4 }), created_at: expect.any(String) },
      ...{ before_tokens: expect.any(Number), after_tokens: expect.any(Number) },
    },
  ]);
  expect(harness.modelRequests.at(-1)?.body.messages).toEqual([
    { role: 'system', content: 'Be kind.' },
    { role: 'user', content: 'Summary of the conversation so far, which stands in its place:\n\nThey greeted.' },
    { role: 'user', content: answer },
    { role: 'assistant', content: long },
    { role: 'user', content: answer },
  ]);
});

test('a compaction is an event, counts in the usage of the turn, and is not a round', async ({ harness }) => {
  const { say } = await converse(harness, { strategy: 'summarize', max_input_tokens: 1_000, keep_last_rounds: 1 });
  const answer = scripted({ answer: long, summary: { say: 'They greeted.' } });

  const first = await say(answer);
  await say(answer);
  const turn = await say(answer);
  const events = await harness.listEvents(turn.id);

  expect(events.map(({ type }) => type)).toEqual([
    ...['turn.queued', 'turn.started', 'context.compacted', 'round.completed', 'turn.completed'],
  ]);
  const [made] = turn.compactions ?? [];
  expect(events[2]).toMatchObject({
    ...{ round: 1, up_to_turn: first.id, up_to_round: 1 },
    ...{ before_tokens: made?.before_tokens, after_tokens: made?.after_tokens },
  });
  expect(made!.after_tokens).toBeLessThan(made!.before_tokens);
  expect(made!.before_tokens).toBeGreaterThan(1_000);
  expect(turn.rounds).toHaveLength(1);
  expect(turn.usage.llm_calls).toBe(2);
  expect(turn.usage.total_tokens).toBe(turn.rounds[0]!.usage!.total_tokens + made!.usage!.total_tokens);
  const listed = await harness.call<{ data: { id: string; usage: unknown }[] }>('GET', '/v1/turns');
  expect(listed.body.data.find(({ id }) => id === turn.id)?.usage).toEqual(turn.usage);
});

test('a summary is requested without tools and options, from its own model if named', async ({ harness }) => {
  const { body: conversation } = await harness.call('POST', '/v1/conversations', {
    body: {
      ...{ model: 'openai/test', tools: ['weather_lookup'], temperature: 0.3, provider_options: { user: 'u1' } },
      context: { strategy: 'summarize', max_input_tokens: 1_000, keep_last_rounds: 1, model: 'openai/small' },
    },
  });
  const input = scripted({ rounds: [{ tools: [weather('call_a')] }], answer: long, summary: { say: 'Sunny.' } });

  for (const _ of [1, 2, 3]) {
    await harness.call('POST', `/v1/conversations/${conversation.id}/turns`, { body: { input } });
    await harness.workUntilIdle();
  }
  const [asked] = summariesAsked(harness);

  expect(asked?.body).toMatchObject({ model: 'small', messages: [{ role: 'system' }, { role: 'user' }] });
  expect(Object.keys(asked?.body ?? {}).sort()).toEqual([
    ...['max_completion_tokens', 'messages', 'model', 'stream', 'stream_options'],
  ]);
  const prompt = String(asked?.body.messages[1]?.content);
  expect(prompt).toContain('Assistant calls weather_lookup with {"city":"Tokyo"}');
  expect(prompt).toContain('weather_lookup answered: {"city":"Tokyo"');
});

test('later turns send the summary, and the next summary includes it', async ({ harness }) => {
  const { say } = await converse(harness, { strategy: 'summarize', max_input_tokens: 1_000, keep_last_rounds: 1 });
  const answer = (word: string) => scripted({ answer: `${word} ${long}`, summary: { say: `Summary ${word}.` } });

  for (const word of ['one', 'two', 'three', 'four', 'five', 'six']) await say(answer(word));
  const asked = summariesAsked(harness).map(({ body }) => String(body.messages[1]?.content));

  expect(asked.length).toBeGreaterThan(1);
  expect(asked[1]).toContain('User: Summary of the conversation so far');
  expect(asked[1]).not.toContain('Assistant: one');
  expect(requestedRoles(harness.modelRequests.at(-1)!)).toBe('user user assistant user');
});

test('a compaction also replaces rounds of the running turn, and keeps its input', async ({ harness }) => {
  const { say } = await converse(harness, { strategy: 'summarize', max_input_tokens: 1_000, keep_last_rounds: 1 });
  const rounds = ['a', 'b', 'c', 'd'].map((id) => ({ say: `${id} ${long}`, tools: [weather(`call_${id}`)] }));
  const input = scripted({ rounds, answer: 'Done.', summary: { say: 'Looked twice.' } });

  const turn = await say(input, { tools: ['weather_lookup'] });

  expect(turn).toMatchObject({ status: 'completed', output: 'Done.' });
  expect(turn.rounds.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5]);
  const [made] = turn.compactions ?? [];
  expect(made).toMatchObject({ up_to_turn: turn.id, up_to_round: made!.round - 2 });
  const asked = harness.modelRequests.filter((request) => !summariesAsked(harness).includes(request));
  expect(asked[made!.round - 1]?.body.messages).toMatchObject([
    { role: 'user', content: expect.stringContaining('Looked twice.') },
    { role: 'user', content: input },
    { role: 'assistant', tool_calls: [{ id: `call_${'abcd'[made!.round - 2]}` }] },
    { role: 'tool' },
  ]);
});

test('dropped results become a note without a model, and errors and last rounds stay', async ({ harness }) => {
  const { say } = await converse(
    harness,
    { strategy: 'drop_tool_results', max_input_tokens: 1_000, keep_last_rounds: 1 },
    { tools: ['weather_lookup'] },
  );
  const rounds = [
    { tools: [{ ...weather('call_a'), name: 'no_such_tool' }, weather('call_b')] },
    ...['c', 'd', 'e', 'f'].map((id) => ({ say: long, tools: [weather(`call_${id}`)] })),
  ];

  const turn = await say(scripted({ rounds, answer: 'Done.' }), { tools: ['weather_lookup'] });

  expect(turn.status).toBe('completed');
  expect(turn.usage.llm_calls).toBe(6);
  expect(turn.compactions?.at(-1)).toMatchObject({
    strategy: 'drop_tool_results',
    up_to_round: 4,
    summary: null,
    model: null,
  });
  const results = harness.modelRequests.at(-1)?.body.messages.filter(({ role }) => role === 'tool');
  const note = '(dropped to make room)';
  expect(results?.map(({ content }) => content)).toEqual([
    expect.stringContaining('Tool execution failed'),
    ...[note, note, note, note],
    expect.stringContaining('sunny'),
  ]);
});

test('messages are stored whole, and are shown as sent if requested', async ({ harness }) => {
  const { path, say } = await converse(harness, {
    strategy: 'summarize',
    max_input_tokens: 1_000,
    keep_last_rounds: 1,
  });
  const answer = scripted({ answer: long, summary: { say: 'They greeted.' } });
  for (const _ of [1, 2, 3]) await say(answer);

  const kept = await messages(harness, `${path}/messages`);
  const sent = await messages(harness, `${path}/messages?view=sent`);

  expect(kept.map(({ role }) => role).join(' ')).toBe('user assistant user assistant user assistant');
  expect(sent.map(({ role }) => role).join(' ')).toBe('user user assistant user assistant');
  expect(sent[0]?.content).toContain('They greeted.');
  for (const [format, field] of [
    ['openai', 'content'],
    ['anthropic', 'content'],
    ['gemini', 'parts'],
  ] as const) {
    const [first] = await messages(harness, `${path}/messages?view=sent&format=${format}`);
    expect(JSON.stringify(first?.[field])).toContain('They greeted.');
  }
});

async function messages(harness: Harness, path: string): Promise<Record<string, string>[]> {
  const { status, body } = await harness.call<{ data: Record<string, string>[] }>('GET', path);
  expect(status).toBe(200);
  return body.data;
}
