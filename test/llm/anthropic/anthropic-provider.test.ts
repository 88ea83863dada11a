import { expect, test } from 'vitest';
import { anthropicProvider } from '#core/llm/anthropic/anthropic-provider.ts';
import { makeHttpClient } from '#core/llm/http/http-client.ts';
import type { Delta } from '#core/llm/provider.ts';
import { anthropicWire, block, event, message, textBlock } from '#test/llm/anthropic-wire.ts';
import { httpExam, KEY } from '#test/llm/http-exam.ts';
import { providerExam, someRequest } from '#test/llm/provider-exam.ts';
import { type Answer, startWireServer } from '#test/llm/wire-server.ts';

const signal = new AbortController().signal;
const { post } = makeHttpClient();
const make = (origin: string, more: object = {}) =>
  anthropicProvider({ name: 'anthropic', apiKey: KEY, baseUrl: origin, post, ...more });

providerExam('anthropic', (origin) => make(origin), anthropicWire);
httpExam('anthropic', make, {
  wire: anthropicWire,
  path: /^\/v1\/messages$/,
  keyHeaders: { authorization: `Bearer ${KEY}`, 'x-api-key': KEY },
  body: { model: 'some-model', stream: true },
});

async function ask(answer: Answer, more: { request?: object; options?: object } = {}) {
  await using server = await startWireServer(answer);
  const deltas: Delta[] = [];
  const request = { ...someRequest, ...more.request };
  const reply = await make(server.origin, more.options).ask(request, signal, (delta) => deltas.push(delta));
  return { reply, deltas, asked: server.asked };
}

const json = { 'content-type': 'application/json' };
const hello = message(textBlock(0, ['Hi.']), 'end_turn');

test.each(['', '/', '/v1', '/v1/'])('a base URL that ends in "%s" leads to the same path', async (ending) => {
  await using server = await startWireServer({ body: hello });

  await make(`${server.origin}/gateway${ending}`).ask(someRequest, signal, () => undefined);

  expect(server.asked[0]!.path).toBe('/gateway/v1/messages');
});

test('a connection that stays open after the whole reply does not delay it', async () => {
  const { reply } = await ask({ body: hello, ending: 'hang' });

  expect(reply).toMatchObject({ text: 'Hi.', finishReason: 'stop' });
});

test('a stream that ends before its stop reason is an interrupted reply', async () => {
  const asking = ask({ body: hello.slice(0, -2) });

  await expect(asking).rejects.toMatchObject({ code: 'provider_unavailable', retry: { kind: 'later' } });
});

test('sampling is requested with the API version that supports it', async () => {
  const plain = await ask({ body: hello });
  const warm = await ask({ body: hello }, { request: { temperature: 0.2 } });
  const top = await ask({ body: hello }, { request: { providerOptions: { top_p: 0.5 } } });

  expect(plain.asked[0]!.headers['anthropic-version']).not.toBe('2023-06-01');
  expect(warm.asked[0]).toMatchObject({ headers: { 'anthropic-version': '2023-06-01' }, body: { temperature: 0.2 } });
  expect(top.asked[0]).toMatchObject({ headers: { 'anthropic-version': '2023-06-01' }, body: { top_p: 0.5 } });
});

test('a reply sent whole is read like a stream', async () => {
  const content = [
    { type: 'thinking', thinking: 'Hm.', signature: 'sig' },
    { type: 'text', text: 'Let me see.' },
    { type: 'tool_use', id: 'toolu_1', name: 'add', input: { a: 1 } },
  ];
  const whole = { type: 'message', content, stop_reason: 'tool_use', usage: { input_tokens: 3, output_tokens: 2 } };

  const { reply, deltas } = await ask({ headers: json, body: ['\n ', JSON.stringify(whole, null, 1)] });

  expect(reply).toMatchObject({
    text: 'Let me see.',
    calls: [{ id: 'toolu_1', name: 'add', arguments: '{"a":1}' }],
    finishReason: 'tool_calls',
    usage: { input_tokens: 3, output_tokens: 2 },
  });
  expect(deltas).toEqual([
    { kind: 'reasoning', text: 'Hm.' },
    { kind: 'text', text: 'Let me see.' },
    { kind: 'tool-arguments', index: 0, text: '{"a":1}' },
  ]);
});

test('the failure of an error event has its code and request id, but no status', async () => {
  const headers = { 'content-type': 'text/event-stream', 'request-id': 'req_7', 'retry-after': '9' };
  const body = [...hello.slice(0, 2), ...anthropicWire.errorEvent];

  await expect(ask({ headers, body })).rejects.toMatchObject({
    code: 'provider_overloaded',
    retry: { kind: 'later' },
    provider: { status: null, code: 'overloaded_error', request_id: 'req_7' },
  });
});

test('a paused reply is continued by a second request, and is one reply', async () => {
  await using server = await startWireServer();
  const use = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search' };
  const found = { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] };
  const counted = { start: { input_tokens: 10, output_tokens: 1 }, end: { output_tokens: 5 } };
  const search = block(1, { ...use, input: {} }, [{ type: 'input_json_delta', partial_json: '{"query":"x"}' }]);
  const paused = message([...textBlock(0, ['Let me search.']), ...search], 'pause_turn', counted);
  const rest = message([...block(0, found), ...textBlock(1, ['Found ', 'it.'])], 'end_turn', counted);
  server.answer({ body: paused });
  server.answerNext({ body: rest });
  const deltas: Delta[] = [];

  const reply = await make(server.origin).ask(someRequest, signal, (delta) => deltas.push(delta));

  const written = [
    { type: 'text', text: 'Let me search.' },
    { ...use, input: { query: 'x' } },
  ];
  expect(server.asked[1]!.body.messages).toEqual([
    ...(server.asked[0]!.body.messages as object[]),
    { role: 'assistant', content: written },
  ]);
  expect(reply).toMatchObject({
    text: 'Let me search.\n\nFound it.',
    finishReason: 'stop',
    usage: { input_tokens: 20, output_tokens: 10 },
    opaque: { blocks: [...written, found, { type: 'text', text: 'Found it.' }] },
  });
  expect(deltas.map(({ text }) => text).join('')).toBe(reply.text);
});

test('a resumed reply continues in the container of the server tools', async () => {
  await using server = await startWireServer();
  const [start, stop] = [hello[0]!, hello.at(-1)!];
  const container = { id: 'container_1', expires_at: 'later' };
  const end = event({ type: 'message_delta', delta: { stop_reason: 'pause_turn', container } });
  server.answer({ body: [start, ...textBlock(0, ['Half']), end, stop] });
  server.answerNext({ body: hello });

  await make(server.origin).ask(someRequest, signal, () => undefined);

  expect(server.asked[1]!.body.container).toBe('container_1');
});

test('a reply that always pauses is ended with length', async () => {
  const { reply, asked } = await ask({ body: message(textBlock(0, ['.']), 'pause_turn') });

  expect(reply).toMatchObject({ text: '.'.repeat(11), finishReason: 'length', finishReasonRaw: 'pause_turn' });
  expect(asked).toHaveLength(11);
});
