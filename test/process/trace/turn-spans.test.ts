import { expect } from 'vitest';
import { createHarness, type Harness, workUntilEnded } from '#test/harness/create-harness.ts';
import { scripted } from '#test/harness/scripted.ts';
import { openExternalServer } from '#test/harness/servers/external-server.ts';
import type { ReceivedSpan } from '#test/harness/servers/received-span.ts';
import { test, traced } from './traced.ts';

const weather = { name: 'weather_lookup', arguments: { city: 'Rome' } };
const oneCall = scripted({ rounds: [{ tools: [weather] }], answer: 'Sunny.' });
const named = (spans: ReceivedSpan[], name: string) => spans.filter((span) => span.name === name);

test.for(['http/json', 'http/protobuf'])('a turn is a single trace over %s', async (protocol) => {
  await using at = await traced({ OTEL_EXPORTER_OTLP_PROTOCOL: protocol });
  const { id, conversation_id } = await at.harness.startTurn({
    model: 'openai/test',
    input: oneCall,
    tools: ['weather_lookup'],
  });

  await at.harness.workUntilIdle({ deliveries: 3 });
  const spans = await at.received();

  expect(at.receiver.requests[0]).toMatchObject({
    path: '/v1/traces',
    type: `application/${protocol.replace('http/', '').replace('protobuf', 'x-protobuf')}`,
  });
  expect(spans.map(({ name }) => name).toSorted()).toEqual([
    'chat test',
    'chat test',
    'execute_tool weather_lookup',
    'invoke_agent',
  ]);
  const [agent] = named(spans, 'invoke_agent');
  const [first, second] = named(spans, 'chat test').toSorted((a, b) => a.startMs - b.startMs);
  const [call] = named(spans, 'execute_tool weather_lookup');
  expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
  expect(agent).toMatchObject({ kind: 1, parentSpanId: '', status: 0, service: 'pawl' });
  for (const span of [first, second, call]) expect(span).toMatchObject({ parentSpanId: agent!.spanId, status: 0 });
  expect(first).toMatchObject({ kind: 3, links: [] });
  expect(call).toMatchObject({ kind: 1, links: [first!.spanId] });
  const { usage, rounds } = await at.harness.findTurn(id);
  const about = { 'gen_ai.conversation.id': conversation_id, 'pawl.turn.id': id, 'pawl.project': 'default' };
  expect(agent!.attributes).toMatchObject({
    ...{ ...about, 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.provider.name': 'openai' },
    ...{ 'gen_ai.request.model': 'test', 'gen_ai.usage.input_tokens': usage.input_tokens },
    'pawl.cost_usd': usage.cost_usd,
  });
  expect(first!.attributes).toEqual({
    ...{ ...about, 'gen_ai.operation.name': 'chat', 'gen_ai.provider.name': 'openai', 'gen_ai.request.model': 'test' },
    'gen_ai.request.stream': true,
    ...{ 'server.address': '127.0.0.1', 'server.port': Number(new URL(at.harness.env.OPENAI_BASE_URL).port) },
    ...{ 'gen_ai.response.id': expect.stringMatching(/^chatcmpl-/), 'gen_ai.response.model': 'test' },
    'gen_ai.response.finish_reasons': ['tool_calls'],
    'gen_ai.usage.input_tokens': rounds[0]!.usage?.input_tokens,
    'gen_ai.usage.output_tokens': rounds[0]!.usage?.output_tokens,
    'gen_ai.usage.cache_read.input_tokens': rounds[0]!.usage?.cached_input_tokens,
    'gen_ai.usage.cache_creation.input_tokens': rounds[0]!.usage?.cache_write_tokens,
    'gen_ai.usage.reasoning.output_tokens': rounds[0]!.usage?.reasoning_tokens,
    'gen_ai.response.time_to_first_chunk': expect.any(Number),
    'pawl.cost_usd': rounds[0]!.usage?.cost_usd,
    ...{ 'pawl.round': 1, 'pawl.attempt': 1, 'pawl.queue_wait': expect.any(Number) },
  });
  expect(call!.attributes).toEqual({
    ...{ ...about, 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'weather_lookup' },
    ...{ 'gen_ai.tool.call.id': rounds[0]!.tool_calls[0]!.id, 'gen_ai.tool.type': 'function' },
    ...{ 'pawl.round': 1, 'pawl.attempt': 1 },
  });
  expect(agent!.startMs <= first!.startMs && second!.endMs <= agent!.endMs).toBe(true);
});

test('a failed attempt is an error span, and the next attempt links to it', async ({ at }) => {
  const fault = { kind: 'status' as const, status: 503, retry_after: 30, times: 3 };

  const { id } = await at.harness.startTurn({ model: 'openai/test', input: scripted({ final: { fault } }) });
  await workUntilEnded(at.harness, id);
  const spans = await at.received();

  const chats = named(spans, 'chat test').toSorted((a, b) => a.startMs - b.startMs);
  expect(chats.map(({ status }) => status)).toEqual([2, 2, 0]);
  expect(chats.map(({ attributes }) => attributes['pawl.attempt'])).toEqual([1, 2, 3]);
  expect(chats[0]!.attributes['error.type']).toMatch(/^provider_/);
  expect(chats.map(({ links }) => links)).toEqual([[], [chats[0]!.spanId], [chats[1]!.spanId]]);
  expect(named(spans, 'invoke_agent')).toMatchObject([{ status: 0 }]);
});

test('a reopened turn has a second span, which links to the first', async ({ at }) => {
  const fault = { kind: 'status' as const, status: 401, times: 1 };
  const { id } = await at.harness.runTurn({ model: 'openai/test', input: scripted({ final: { fault } }) });

  await at.harness.call('POST', `/v1/turns/${id}/retry`);
  await at.harness.workUntilIdle();
  const spans = await at.received();

  const [failed, ended] = named(spans, 'invoke_agent').toSorted((a, b) => a.startMs - b.startMs);
  expect(failed).toMatchObject({
    status: 2,
    links: [],
    attributes: { 'error.type': 'provider_authentication_failed' },
  });
  expect(ended).toMatchObject({ status: 0, traceId: failed!.traceId, links: [failed!.spanId] });
  expect(named(spans, 'chat test').map(({ parentSpanId }) => parentSpanId)).toEqual([failed!.spanId, ended!.spanId]);
});

test('a cancelled turn ends its span once', async ({ at }) => {
  const { id } = await at.harness.startTurn({ model: 'openai/test', input: 'Hi' });

  for (const _ of [1, 2]) await at.harness.call('POST', `/v1/turns/${id}/cancel`);
  const spans = await at.received();

  expect(spans).toMatchObject([{ name: 'invoke_agent', attributes: { 'pawl.turn.status': 'cancelled' } }]);
});

test('a call that a client answers has a span from its request to its answer', async ({ at }) => {
  const locate = { name: 'locate_user', description: 'Asks the device where the user is' };
  const input = scripted({ rounds: [{ tools: [{ name: 'locate_user', arguments: {} }] }], answer: 'There.' });
  const { id } = await at.harness.runTurn({ model: 'openai/test', input, tools: [locate] });
  const { rounds } = await at.harness.findTurn(id);
  const tool_outputs = [{ tool_call_id: rounds[0]!.tool_calls[0]!.id, output: 'Here' }];

  for (const _ of [1, 2]) await at.harness.call('POST', `/v1/turns/${id}/tool_outputs`, { body: { tool_outputs } });
  await at.harness.workUntilIdle();
  const spans = await at.received();

  const [chat] = named(spans, 'chat test').toSorted((a, b) => a.startMs - b.startMs);
  expect(named(spans, 'execute_tool locate_user')).toMatchObject([{ status: 0, links: [chat!.spanId] }]);
});

const PARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const start = (harness: Harness, headers: Record<string, string>, body: object = {}) =>
  harness.call<{ id: string }>('POST', '/v1/turns', {
    headers,
    body: { model: 'openai/test', input: 'Hi', ...body },
  });

test('the trace of the request is the parent, and continues to model, tool and webhook', async ({ at }) => {
  await using tool = await openExternalServer();
  await using hook = await openExternalServer();
  const lookup = { name: 'look_up', description: 'Looks a thing up', execution: { kind: 'http', url: tool.url } };
  const input = scripted({ rounds: [{ tools: [{ name: 'look_up', arguments: {} }] }] });
  const body = { input, tools: [lookup], webhook: { url: hook.url } };

  await start(at.harness, { traceparent: PARENT, tracestate: 'vendor=1' }, body);
  await at.harness.workUntilIdle();
  const spans = await at.received();

  const [agent] = named(spans, 'invoke_agent');
  const [chat] = named(spans, 'chat test').toSorted((a, b) => a.startMs - b.startMs);
  const [call] = named(spans, 'execute_tool look_up');
  expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set(['0af7651916cd43dd8448eb211c80319c']));
  expect(agent!.parentSpanId).toBe('b7ad6b7169203331');
  expect(call!.attributes['gen_ai.tool.type']).toBe('extension');
  const sentFrom = ({ spanId }: ReceivedSpan) => ({
    traceparent: `00-0af7651916cd43dd8448eb211c80319c-${spanId}-01`,
    tracestate: 'vendor=1',
  });
  expect(at.harness.modelRequests[0]!.headers).toMatchObject(sentFrom(chat!));
  expect(tool.caught[0]!.headers).toMatchObject(sentFrom(call!));
  expect(hook.caught[0]!.headers).toMatchObject(sentFrom(agent!));
});

test('an unsampled request makes no spans, and a malformed parent starts a new trace', async ({ at }) => {
  await start(at.harness, { traceparent: PARENT.replace(/01$/, '00') });
  const { body: malformed } = await start(at.harness, { traceparent: 'nonsense' });
  await at.harness.workUntilIdle();
  const spans = await at.received();

  expect(new Set(spans.map(({ attributes }) => attributes['pawl.turn.id']))).toEqual(new Set([malformed.id]));
  expect(named(spans, 'invoke_agent')).toMatchObject([{ parentSpanId: '' }]);
});

test('the trace context is passed on unchanged if no spans are exported', async () => {
  await using harness = await createHarness();
  await start(harness, { traceparent: PARENT, tracestate: 'vendor=1' });
  await harness.call('POST', '/v1/responses', {
    headers: { traceparent: PARENT },
    body: { model: 'openai/test', input: 'Hi', background: true },
  });
  await start(harness, {});
  await harness.workUntilIdle();

  const [native, response, none] = harness.modelRequests.map(({ headers }) => headers);
  expect(native).toMatchObject({ traceparent: PARENT, tracestate: 'vendor=1' });
  expect(response).toMatchObject({ traceparent: PARENT });
  expect(none).not.toHaveProperty('traceparent');
});

test('texts are on spans only if PAWL_TRACE_CONTENT is set, without secrets', async () => {
  const secrets = JSON.stringify({ city: { value: 'secret-of-rome' } });
  await using silent = await traced();
  await using open = await traced({ PAWL_TRACE_CONTENT: '1', PAWL_SECRETS: secrets });
  const body = { input: oneCall, tools: ['weather_lookup'], instructions: 'Keep secret-of-rome to yourself.' };

  for (const { harness } of [silent, open]) {
    await start(harness, {}, body);
    await harness.workUntilIdle();
  }

  expect(JSON.stringify(await silent.received())).not.toMatch(/Rome|Sunny|secret-of-rome/);
  const spans = await open.received();
  expect(JSON.stringify(spans)).not.toContain('secret-of-rome');
  const last = named(spans, 'chat test').find(({ attributes }) => attributes['pawl.round'] === 2);
  expect(last!.attributes).toMatchObject({
    'gen_ai.system_instructions': '[{"type":"text","content":"Keep [redacted] to yourself."}]',
    'gen_ai.input.messages': expect.stringContaining('"type":"tool_call_response"'),
    'gen_ai.output.messages': expect.stringContaining('"content":"Sunny."'),
  });
  expect(named(spans, 'execute_tool weather_lookup')[0]!.attributes).toMatchObject({
    'gen_ai.tool.call.arguments': '{"city":"Rome"}',
    'gen_ai.tool.call.result': expect.any(String),
  });
});
