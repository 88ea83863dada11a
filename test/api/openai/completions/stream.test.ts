import { expect } from 'vitest';
import { createHarness, startBackgroundWorker } from '#test/harness/create-harness.ts';
import { describeQueue } from '#test/harness/queues.ts';
import { openaiWire } from '#test/llm/openai-wire.ts';
import { startWireServer } from '#test/llm/wire-server.ts';
import { test } from '../test.ts';
import { city, clientTool, completing, scriptedUser } from './completing.ts';
import { contentOf, deltasOf, openCompletionStream } from './completion-stream.ts';

const usage = { prompt_tokens: 10, completion_tokens: 5 };
const twoCalls = [
  { name: 'get_weather', arguments: city, id: 'call_a' },
  { name: 'get_time', arguments: city, id: 'call_b' },
];
const tools = [clientTool('get_weather'), clientTool('get_time')];

describeQueue(({ redis }) => {
  test('a stream has the role, text, finish reason, usage and [DONE] in this order', async () => {
    await using harness = await createHarness({ redis });
    await using _worker = await startBackgroundWorker(harness);
    const messages = [scriptedUser({ answer: 'Hello, Ada. 🐢', final: { usage } })];

    const stream = await openCompletionStream(harness, {
      body: { messages, stream_options: { include_usage: true } },
    });
    await stream.over;

    const chunks = stream.chunks();
    const { id, created } = chunks[0]!;
    const common = { id, created, object: 'chat.completion.chunk', model: 'test', system_fingerprint: null };
    expect(stream.frames.at(-1)).toBe('data: [DONE]');
    expect(stream.frames.every((frame) => /^data: [^\n]+$/.test(frame))).toBe(true);
    expect(id).toMatch(/^chatcmpl-/);
    for (const chunk of chunks) expect(chunk).toMatchObject({ ...common, service_tier: expect.anything() });
    for (const chunk of chunks.slice(0, -1))
      expect(chunk).toMatchObject({ usage: null, choices: [{ index: 0, logprobs: null }] });
    expect(chunks[0]?.choices).toMatchObject([{ delta: { role: 'assistant', content: '' }, finish_reason: null }]);
    expect(stream.text()).toBe('Hello, Ada. 🐢');
    expect(chunks.at(-2)?.choices).toEqual([{ index: 0, delta: {}, logprobs: null, finish_reason: 'stop' }]);
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { ...usage, total_tokens: 15 } });
    expect(deltasOf(chunks.slice(1, -2)).every((delta) => Object.keys(delta).join() === 'content')).toBe(true);
  });
});

test('a stream without include_usage has no usage, and has the headers of a stream', async ({ harness, worker: _ }) => {
  const stream = await openCompletionStream(harness, {
    ...{ body: { messages: [scriptedUser({ answer: 'Hello.' })] }, path: '/openai/v1/chat/completions' },
  });
  await stream.over;

  expect(stream.chunks().some((chunk) => 'usage' in chunk)).toBe(false);
  expect(stream.chunks().at(-1)?.choices[0]?.finish_reason).toBe('stop');
  const { headers } = stream.response;
  expect(headers.get('content-type')).toMatch(/^text\/event-stream/);
  expect(headers.get('cache-control')).toBe('no-cache, no-transform');
  expect(headers.get('x-accel-buffering')).toBe('no');
  expect(headers.get('x-request-id')).toMatch(/^req_/);
});

test('the stream of the OpenAI client ends with the completion that a retrieve shows', async ({
  harness,
  worker: _,
}) => {
  const { completions } = completing(harness);
  const messages = [scriptedUser({ rounds: [{ say: 'Wait.', tools: twoCalls }] })];

  const stream = completions.stream({ model: 'test', messages, tools, stream_options: { include_usage: true } });
  const done: unknown[] = [];
  stream.on('tool_calls.function.arguments.done', (call) => done.push([call.index, call.name, call.arguments]));
  const final = await stream.finalChatCompletion();

  const retrieved = await completions.retrieve(final.id);
  expect(done).toEqual([
    [0, 'get_weather', '{"city":"Rome"}'],
    [1, 'get_time', '{"city":"Rome"}'],
  ]);
  expect(final.choices[0]).toMatchObject({
    ...{ finish_reason: 'tool_calls' },
    message: { content: 'Wait.', tool_calls: retrieved.choices[0]?.message.tool_calls },
  });
  expect(final.usage).toEqual(retrieved.usage);
  expect(final.created).toBe(retrieved.created);
});

test('a tool call is one whole delta after the text of its round', async ({ harness, worker: _ }) => {
  const messages = [scriptedUser({ rounds: [{ say: 'Wait.', tools: twoCalls, piece_chars: 2 }] })];

  const stream = await openCompletionStream(harness, { body: { messages, tools } });
  await stream.over;

  const deltas = deltasOf(stream.chunks());
  const called = (index: number, id: string, name: string) => ({
    tool_calls: [{ index, id, type: 'function', function: { name, arguments: '{"city":"Rome"}' } }],
  });
  expect(deltas.slice(-3)).toEqual([called(0, 'call_a', 'get_weather'), called(1, 'call_b', 'get_time'), {}]);
  expect(stream.text()).toBe('Wait.');
  expect(stream.chunks().at(-1)?.choices[0]?.finish_reason).toBe('tool_calls');
});

test('a stream contains only the calls of the client, with indexes from 0', async ({ harness, worker: _ }) => {
  const calls = [{ name: 'weather_lookup', arguments: city }, twoCalls[1]!];
  const messages = [scriptedUser({ rounds: [{ tools: calls }] })];

  const stream = await openCompletionStream(harness, {
    body: { messages, tools, pawl: { tools: ['weather_lookup'] } },
  });
  await stream.over;

  const called = deltasOf(stream.chunks()).flatMap(({ tool_calls = [] }) => tool_calls);
  expect(called).toMatchObject([{ index: 0, id: 'call_b', function: { name: 'get_time' } }]);
});

test('a call of a custom tool is streamed with its input', async ({ harness, worker: _ }) => {
  const messages = [
    scriptedUser({ rounds: [{ tools: [{ name: 'patch', arguments: { input: 'a' }, id: 'call_p' }] }] }),
  ];

  const stream = await openCompletionStream(harness, {
    body: { messages, tools: [{ type: 'custom', custom: { name: 'patch' } }] },
  });
  await stream.over;

  expect(deltasOf(stream.chunks()).flatMap(({ tool_calls = [] }) => tool_calls)).toEqual([
    { index: 0, id: 'call_p', type: 'custom', custom: { name: 'patch', input: 'a' } },
  ]);
});

test('a stream sends reasoning before the text, and a refusal after it', async ({ harness, worker: _ }) => {
  const messages = [scriptedUser({ final: { reasoning: 'Hm.', say: 'Well. ', refusal: 'I cannot.', piece_chars: 2 } })];

  const stream = await openCompletionStream(harness, { body: { messages } });
  await stream.over;

  const deltas = deltasOf(stream.chunks());
  const join = (key: 'reasoning_content' | 'content' | 'refusal') => deltas.map((delta) => delta[key] ?? '').join('');
  expect([join('reasoning_content'), join('content'), join('refusal')]).toEqual(['Hm.', 'Well. ', 'I cannot.']);
  const kinds = deltas.slice(1, -1).map((delta) => Object.keys(delta).join());
  expect([...new Set(kinds)]).toEqual(['reasoning_content', 'content', 'refusal']);
  expect(kinds).toEqual(kinds.toSorted((a, b) => ORDER.indexOf(a) - ORDER.indexOf(b)));
  expect(stream.chunks().at(-1)?.choices[0]?.finish_reason).toBe('stop');
});

const ORDER = ['reasoning_content', 'content', 'refusal'];

test.each([true, false])('an unknown value of the header Pawl-Stream is refused, stream: %s', async (stream) => {
  await using harness = await createHarness();
  const body = { model: 'sim/demo', messages: [{ role: 'user', content: 'Hi' }], stream };
  const headers = { 'pawl-stream': 'comitted' };

  const refused = await harness.call('POST', '/v1/chat/completions', { body, headers });

  expect(refused).toMatchObject({
    status: 400,
    body: { error: { code: 'invalid_value', param: 'Pawl-Stream', message: expect.stringContaining('comitted') } },
  });
  expect(await harness.db.selectFrom('turns').select('id').execute()).toEqual([]);
});

test('a committed stream sends text when its round commits, a live stream at once', async () => {
  await using server = await startWireServer();
  await using harness = await createHarness({ env: { OPENAI_BASE_URL: server.origin } });
  await using _worker = await startBackgroundWorker(harness);
  const heard = Promise.withResolvers<void>();
  const [begun = '', ...rest] = openaiWire.reply({ text: ['Half a sen', 'tence.'] });
  server.answer({ body: [begun, heard.promise, ...rest] });
  const body = { messages: [{ role: 'user', content: 'Hi' }] };
  const open = (more: Record<string, string> = {}) =>
    openCompletionStream(harness, { body, headers: { 'idempotency-key': 'one', ...more } });

  const live = await open();
  const committed = await open({ 'pawl-stream': 'committed' });
  await live.until((chunks) => contentOf(chunks) === 'Half a sen');
  const early = committed.text();
  heard.resolve();
  await Promise.all([live.over, committed.over]);

  expect(early).toBe('');
  expect([live.text(), committed.text()]).toEqual(['Half a sentence.', 'Half a sentence.']);
  expect(deltasOf(committed.chunks()).flatMap(({ content }) => content || [])).toEqual(['Half a sentence.']);
  expect(committed.frames.at(-1)).toBe('data: [DONE]');
  expect(server.asked).toHaveLength(1);
});
