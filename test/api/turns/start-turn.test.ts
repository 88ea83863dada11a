import { expect } from 'vitest';
import type { TurnResource } from '#core/turn/resource/turn.ts';
import { test } from '#test/harness/test.ts';

type Conversation = Record<string, unknown> & { id: string; turn?: TurnResource };

const MS_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

test('a one-shot turn is accepted with its Location and the time of the next poll', async ({ harness }) => {
  const { status, headers, body } = await harness.call<TurnResource>('POST', '/v1/turns', {
    body: { model: 'openai/test', input: 'Hi', metadata: { ticket: '7' } },
  });

  expect(status).toBe(202);
  expect(headers.get('location')).toBe(`/v1/turns/${body.id}`);
  expect(Number(headers.get('pawl-poll-after-ms'))).toBeGreaterThan(0);
  expect(body).toEqual({
    id: expect.stringMatching(/^turn_[0-7][0-9a-hjkmnp-tv-z]{25}$/),
    object: 'turn',
    response_id: null,
    conversation_id: expect.stringMatching(/^conv_[0-7][0-9a-hjkmnp-tv-z]{25}$/),
    status: 'queued',
    input: [{ role: 'user', content: 'Hi' }],
    pending_input: [],
    agent: null,
    model: 'openai/test',
    round: 0,
    phase: null,
    last_event: 1,
    output: null,
    output_parsed: null,
    output_annotations: [],
    output_parts: null,
    rounds: [],
    required_action: null,
    waiting: { for: 'slot', since: body.created_at },
    incomplete_details: null,
    error: null,
    usage: {
      ...{
        input_tokens: 0,
        output_tokens: 0,
        total_tokens: 0,
        cached_input_tokens: 0,
        cache_write_tokens: 0,
        reasoning_tokens: 0,
        cost_usd: 0,
        cache_savings_usd: 0,
      },
      ...{ llm_calls: 0, tool_calls: 0 },
    },
    warnings: [],
    metadata: { ticket: '7' },
    created_at: expect.stringMatching(MS_TIME),
    ...{ schedule_id: null, continues: null, forked_from: null, after_round: null, rerun_of: null },
    start_at: null,
    started_at: null,
    completed_at: null,
  });
});

test('a conversation without input is created with its configuration and no turn', async ({ harness }) => {
  const request = { model: 'openai/test', instructions: 'Be brief.', tools: ['weather_lookup'], metadata: { a: 'b' } };
  const { status, body } = await harness.call<Conversation>('POST', '/v1/conversations', { body: request });
  const read = await harness.call<Conversation>('GET', `/v1/conversations/${body.id}`);

  expect(status).toBe(201);
  expect(body).toEqual({
    id: expect.stringMatching(/^conv_/),
    object: 'conversation',
    ...{ agent: null, variables: null },
    ...request,
    tool_choice: 'auto',
    tool_mode: 'native',
    fallback_models: [],
    ...{ parallel_tool_calls: null, temperature: null, top_p: null, reasoning_effort: null, verbosity: null },
    ...{ stop: null, seed: null, max_output_tokens: null, output_schema: null, context: null, provider_options: null },
    limits: {
      ...{ max_rounds: 50, max_tool_calls: 200, max_total_tokens: null, max_cost_usd: null, deadline_seconds: null },
    },
    prompt_cache: 'auto',
    ...{ service_tier: null, tier_fallback: null },
    provider_headers: null,
    model_retry: null,
    allowed_capabilities: null,
    webhook: null,
    active_turn_id: null,
    ...{ expires_in_seconds: null, expires_at: null, forked_from: null, after_round: null },
    created_at: expect.stringMatching(MS_TIME),
  });
  expect(read).toMatchObject({ status: 200, body });
});

test('a conversation with input is created together with its first turn', async ({ harness }) => {
  const { status, headers, body } = await harness.call<Conversation>('POST', '/v1/conversations', {
    body: { model: 'openai/test', input: 'Hi' },
  });

  expect(status).toBe(202);
  expect(body.turn).toMatchObject({ object: 'turn', status: 'queued', conversation_id: body.id });
  expect(body.active_turn_id).toBe(body.turn?.id);
  expect(Number(headers.get('pawl-poll-after-ms'))).toBeGreaterThan(0);
});

test('a turn in a conversation inherits its configuration', async ({ harness }) => {
  const standing = { model: 'openai/standing', instructions: 'Be brief.', tools: ['weather_lookup'], temperature: 0.5 };
  const conversation = await harness.call<Conversation>('POST', '/v1/conversations', { body: standing });

  const turn = await harness.call<TurnResource>('POST', `/v1/conversations/${conversation.body.id}/turns`, {
    body: { input: 'Hi' },
  });
  await harness.workOnce();

  expect(turn.status).toBe(202);
  expect(turn.headers.get('location')).toBe(`/v1/turns/${turn.body.id}`);
  expect(turn.headers.get('pawl-poll-after-ms')).not.toBeNull();
  expect(turn.body).toMatchObject({ conversation_id: conversation.body.id, model: 'openai/standing' });
  expect(harness.modelRequests[0]?.body).toMatchObject({
    model: 'standing',
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Hi' },
    ],
    tools: [{ function: { name: 'weather_lookup' } }],
    temperature: 0.5,
  });
});

test('a field of a turn replaces the conversation’s field for that turn, tools too', async ({ harness }) => {
  const standing = { model: 'openai/standing', instructions: 'Be brief.', tools: ['weather_lookup', 'note_visit'] };
  const { body } = await harness.call<Conversation>('POST', '/v1/conversations', { body: standing });
  const own = { model: 'openai/own', instructions: 'Be long.', tools: ['send_postcard'], tool_choice: 'none' };

  await harness.call('POST', `/v1/conversations/${body.id}/turns`, { body: { ...own, input: 'One' } });
  await harness.workUntilIdle();
  await harness.call('POST', `/v1/conversations/${body.id}/turns`, { body: { input: 'Two' } });
  await harness.workOnce();
  const read = await harness.call<Conversation>('GET', `/v1/conversations/${body.id}`);

  const [first, second] = harness.modelRequests.map(({ body: { model, messages, tools, tool_choice } }) => ({
    ...{ model, system: messages[0]?.content, tool_choice },
    tools: tools?.map((tool) => tool.function.name),
  }));
  expect(first).toEqual({ model: 'own', system: 'Be long.', tools: ['send_postcard'], tool_choice: 'none' });
  expect(second).toMatchObject({
    ...{ model: 'standing', system: 'Be brief.', tools: ['weather_lookup', 'note_visit'] },
  });
  expect(read.body).toMatchObject(standing);
});

test('null in a turn means the default, not the field of the conversation', async ({ harness }) => {
  const standing = { model: 'openai/standing', instructions: 'Be brief.', tools: ['weather_lookup'], temperature: 1 };
  const { body } = await harness.call<Conversation>('POST', '/v1/conversations', { body: standing });

  const nothing = { model: null, instructions: null, tools: null, temperature: null, limits: null, webhook: null };
  const turn = await harness.call<TurnResource>('POST', `/v1/conversations/${body.id}/turns`, {
    body: { ...nothing, tool_choice: null, on_active_turn: null, priority: null, metadata: null, input: 'Hi' },
  });
  await harness.workOnce();

  expect(turn).toMatchObject({ status: 202, body: { model: 'openai/standing', metadata: {} } });
  expect(harness.modelRequests[0]?.body.messages).toEqual([{ role: 'user', content: 'Hi' }]);
  expect(harness.modelRequests[0]?.body.tools).toBeUndefined();
  expect(harness.modelRequests[0]?.body.temperature).toBeUndefined();
});

test('null in a one-shot turn means an absent field, except for model and input', async ({ harness }) => {
  const nothing = {
    ...{ instructions: null, tools: null, tool_choice: null, tool_mode: null, parallel_tool_calls: null },
    ...{
      temperature: null,
      top_p: null,
      reasoning_effort: null,
      verbosity: null,
      max_output_tokens: null,
      limits: null,
      on_active_turn: null,
      allowed_capabilities: null,
    },
    ...{ provider_options: null, webhook: null, priority: null, metadata: null },
  };

  const { id, conversation_id } = await harness.startTurn({ ...nothing, input: 'Hi' });
  const { body } = await harness.call('GET', `/v1/conversations/${conversation_id}`);
  await harness.workOnce();

  expect((await harness.findTurn(id)).status).toBe('completed');
  expect(body).toMatchObject({ tools: [], tool_choice: 'auto', tool_mode: 'native', limits: { max_rounds: 50 } });
});

test('a one-shot turn becomes the configuration of its conversation', async ({ harness }) => {
  const given = { model: 'openai/given', instructions: 'Be brief.', tools: ['note_visit'], limits: { max_rounds: 3 } };

  const { conversation_id: id } = await harness.startTurn({ ...given, input: 'One' });
  const conversation = await harness.call('GET', `/v1/conversations/${id}`);
  const next = await harness.call<TurnResource>('POST', `/v1/conversations/${id}/turns`, { body: { input: 'Two' } });

  expect(conversation.body).toMatchObject({ ...given, limits: { max_rounds: 3, max_tool_calls: 200 } });
  expect(next).toMatchObject({ status: 202, body: { model: 'openai/given' } });
});

test('sampling fields and provider_options of a turn reach the model unchanged', async ({ harness }) => {
  const sampling = { temperature: 0.2, top_p: 0.9, verbosity: 'high' } as const;
  const passed = { ...sampling, max_output_tokens: 99, parallel_tool_calls: false, tools: ['weather_lookup'] };

  await harness.startTurn({ ...passed, provider_options: { reasoning_effort: 'low', seed: 7 }, input: 'Hi' });
  await harness.workOnce();

  expect(harness.modelRequests[0]?.body).toMatchObject({
    ...sampling,
    ...{ max_completion_tokens: 99, parallel_tool_calls: false, reasoning_effort: 'low', seed: 7 },
  });
});

test('the input of a turn may be messages of several roles', async ({ harness }) => {
  const input = [
    { role: 'system', content: 'You are a pirate.' },
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: 'Arr.' },
    { role: 'user', content: 'Again' },
  ];

  const turn = await harness.startTurn({ input });
  await harness.workOnce();

  expect(turn.input).toEqual(input);
  expect(harness.modelRequests[0]?.body.messages).toEqual(input);
});

test('waiting turns run in the order of their priority', async ({ harness }) => {
  await harness.startTurn({ input: 'low', priority: -5 });
  await harness.startTurn({ input: 'middle' });
  await harness.startTurn({ input: 'high', priority: 5 });
  await harness.workUntilIdle();

  expect(harness.modelRequests.map(({ body }) => body.messages[0]?.content)).toEqual(['high', 'middle', 'low']);
});
