import { describe, expect, test } from 'vitest';
import { readMcpError } from '#core/tools/mcp/error.ts';
import { type AnswerCall, beginStream, openScriptedMcpServer, refuse, say } from './scripted-server.ts';
import { callMcpTool, useMcpServers } from './use-mcp-servers.ts';

const status =
  (code: number, headers = {}): AnswerCall =>
  ({ response }) =>
    response.writeHead(code, headers).end('no');

/** Answers to a call after its effect. The SDK and the transports must not repeat the call after any answer. */
const answers: [what: string, answer: AnswerCall][] = [
  ...[400, 401, 403, 404, 408, 409, 421, 425, 429, 500, 502, 503, 600, 999].map((code): [string, AnswerCall] => [
    `${code}`,
    status(code),
  ]),
  ['401 with a challenge', status(401, { 'www-authenticate': 'Bearer resource_metadata="/meta"' })],
  ['403 with a missing scope', status(403, { 'www-authenticate': 'Bearer error="insufficient_scope", scope="all"' })],
  ['404 and a forgotten session', forgetAnd(status(404))],
  ['400 and a forgotten session', forgetAnd(status(400))],
  ['a redirect to itself', status(307, { location: '/mcp' })],
  ['a redirect within its origin', status(308, { location: '/mcp/' })],
  ['a reset', ({ response }) => response.socket?.resetAndDestroy()],
  ['a reset and a forgotten session', forgetAnd(({ response }) => response.socket?.resetAndDestroy())],
  ['a stream that is cut', ({ response }) => beginStream(response).socket?.end()],
  ['a stream that ends', ({ response }) => beginStream(response).end()],
  [
    'a stream that is cut after an event id',
    ({ response }) => beginStream(response, 'id: 1\nretry: 0\ndata:\n\n').socket?.end(),
  ],
  ['202 and no answer', status(202)],
  ['a request for input', ({ response, message }) => say(response, message.id, inputRequired)],
  ['headers that do not match', ({ response, message }) => refuse(response, message.id, -32_020, 400)],
  ['an internal error', ({ response, message }) => refuse(response, message.id, -32_603)],
];

function forgetAnd(answer: AnswerCall): AnswerCall {
  return (exchange) => {
    exchange.forget();
    return answer(exchange);
  };
}

const inputRequired = {
  resultType: 'input_required',
  inputRequests: {
    name: {
      method: 'elicitation/create',
      params: { mode: 'form', message: 'Who?', requestedSchema: { type: 'object', properties: {} } },
    },
  },
  requestState: 'state',
};

describe.each([true, false])('an MCP server with sessions: %s', (hasSessions) => {
  test.each(answers)('an at_most_once call answered with %s is sent once', async (_, onCall) => {
    await using server = await openScriptedMcpServer({ hasSessions, onCall });
    await using servers = useMcpServers({ scripted: { url: server.url } });
    const retry = { max_attempts: 3, backoff_ms: 0 };

    const result = await callMcpTool(servers, 'scripted__pay', { effect: 'at_most_once', retry });

    expect(result).toMatchObject({ status: 'error', attempts: 1 });
    expect(server.seen.calls).toBe(1);
  });

  describe.each(['idempotent', 'none'] as const)('a call of effect %s', (effect) => {
    test.each(answers)('that is answered with %s is sent once for each recorded attempt', async (_, onCall) => {
      await using server = await openScriptedMcpServer({ hasSessions, onCall });
      await using servers = useMcpServers({ scripted: { url: server.url } });
      const retry = { max_attempts: 2, backoff_ms: 0 };

      const result = await callMcpTool(servers, 'scripted__read', { effect, retry });

      expect(result.status).toBe('error');
      expect(server.seen.calls).toBe(result.attempts);
    });
  });
});

test('an at_most_once call is outcome_unknown if its session is lost', async () => {
  let number = 0;
  const onCall: AnswerCall = (exchange) => {
    number += 1;
    if (number === 1) return forgetAnd(status(404))(exchange);
    return say(exchange.response, exchange.message.id, { content: [{ type: 'text', text: 'paid' }] });
  };
  await using server = await openScriptedMcpServer({ hasSessions: true, onCall });
  await using servers = useMcpServers({ scripted: { url: server.url } });

  const first = await callMcpTool(servers, 'scripted__pay', { effect: 'at_most_once' });
  const next = await callMcpTool(servers, 'scripted__pay', { effect: 'at_most_once' });

  expect(first.error).toMatchObject({ category: 'outcome_unknown' });
  expect(next).toMatchObject({ status: 'success', content: 'paid', attempts: 1 });
  expect(server.seen).toMatchObject({ calls: 2, sessions: 2 });
});

test('a 404 from a server with a live session is the answer to the call', async () => {
  await using server = await openScriptedMcpServer({ hasSessions: true, onCall: status(404) });
  await using servers = useMcpServers({ scripted: { url: server.url } });

  const { error } = await callMcpTool(servers, 'scripted__pay', { effect: 'at_most_once' });

  expect(error).toMatchObject({ message: 'The MCP server "scripted" answered 404: no', details: { status: 404 } });
});

test.each([600, 700, 999])('the error of an at_most_once call has the status %i, without a retry', async (code) => {
  await using server = await openScriptedMcpServer({ hasSessions: true, onCall: status(code) });
  await using servers = useMcpServers({ scripted: { url: server.url } });
  const retry = { max_attempts: 3, backoff_ms: 0 };

  const { error, attempts } = await callMcpTool(servers, 'scripted__pay', { effect: 'at_most_once', retry });

  expect(error).toEqual({
    ...{ category: 'unknown', message: `The MCP server "scripted" answered ${code}: no` },
    details: { status: code },
  });
  expect([attempts, server.seen.calls]).toEqual([1, 1]);
});

test('requests and calls follow a server to its new address', async () => {
  const onCall: AnswerCall = ({ response, message, request }) =>
    say(response, message.id, { content: [{ type: 'text', text: request.url }] });
  await using server = await openScriptedMcpServer({ hasSessions: true, onCall, movedTo: '/elsewhere' });
  await using servers = useMcpServers({ scripted: { url: server.url } });

  const result = await callMcpTool(servers, 'scripted__pay', { effect: 'at_most_once' });

  expect(result).toMatchObject({ status: 'success', content: '/elsewhere' });
  expect(server.seen.calls).toBe(1);
});

test('only calls open streams', async () => {
  const onCall: AnswerCall = ({ response, message }) => say(response, message.id, { content: [] });
  await using server = await openScriptedMcpServer({ hasSessions: true, onCall });
  await using servers = useMcpServers({ scripted: { url: server.url } });

  await callMcpTool(servers, 'scripted__read');

  expect(server.seen.streams).toBe(0);
});

test('a stream cut after an event id is resumed and has the answer of one call', async () => {
  const answers: string[] = [];
  await using server = await openScriptedMcpServer({
    hasSessions: true,
    onCall: ({ response, message }) => {
      answers.push(
        JSON.stringify({ jsonrpc: '2.0', id: message.id, result: { content: [{ type: 'text', text: 'paid' }] } }),
      );
      beginStream(response, 'id: 1\nretry: 0\ndata:\n\n').end();
    },
    onGet: (_, response) => beginStream(response, `id: 2\ndata: ${answers[0]}\n\n`).end(),
  });
  await using servers = useMcpServers({ scripted: { url: server.url } });

  const result = await callMcpTool(servers, 'scripted__pay', { effect: 'at_most_once' });

  expect(result).toMatchObject({ status: 'success', content: 'paid', attempts: 1 });
  expect(server.seen).toMatchObject({ calls: 1, streams: 1 });
});

test('a server that refuses pings with 404 is called nevertheless', async () => {
  const onCall: AnswerCall = ({ response, message }) =>
    say(response, message.id, { content: [{ type: 'text', text: 'paid' }] });
  await using server = await openScriptedMcpServer({ hasSessions: true, onCall, onPing: status(404) });
  await using servers = useMcpServers({ scripted: { url: server.url } });

  const result = await callMcpTool(servers, 'scripted__pay', { effect: 'at_most_once' });

  expect(result).toMatchObject({ status: 'success', content: 'paid' });
  expect(server.seen.calls).toBe(1);
});

test.each(['\r', '\n', '\r\n'])('an event with line ends %j is read before its stream ends', async (end) => {
  const onCall: AnswerCall = ({ response, message }) => {
    const answer = { jsonrpc: '2.0', id: message.id, result: { content: [{ type: 'text', text: 'paid' }] } };
    const event = `event: message${end}data: ${JSON.stringify(answer)}${end}${end}`;
    beginStream(response, event.slice(0, -1));
    response.write(event.slice(-1));
  };
  await using server = await openScriptedMcpServer({ hasSessions: true, onCall });
  await using servers = useMcpServers({ scripted: { url: server.url } });

  const result = await callMcpTool(servers, 'scripted__pay', { effect: 'at_most_once' });

  expect(result).toMatchObject({ status: 'success', content: 'paid' });
});

test('a stream that is cut twice is resumed after the same event', async () => {
  const answers: string[] = [];
  let streams = 0;
  await using server = await openScriptedMcpServer({
    hasSessions: true,
    onCall: ({ response, message }) => {
      answers.push(
        JSON.stringify({ jsonrpc: '2.0', id: message.id, result: { content: [{ type: 'text', text: 'paid' }] } }),
      );
      beginStream(response, 'id: 1\ndata:\n\n').end();
    },
    onGet: (request, response) => {
      streams += 1;
      const isResumed = request.headers['last-event-id'] === '1';
      return beginStream(response, streams === 2 && isResumed ? `data: ${answers[0]}\n\n` : '').end();
    },
  });
  await using servers = useMcpServers({ scripted: { url: server.url } });

  const result = await callMcpTool(servers, 'scripted__pay', { effect: 'at_most_once' });

  expect(result).toMatchObject({ status: 'success', content: 'paid', attempts: 1 });
  expect(server.seen).toMatchObject({ calls: 1, streams: 2 });
});

test('a stream that its server keeps open is closed after the answer', async () => {
  const left = Promise.withResolvers<void>();
  const onCall: AnswerCall = ({ response, message }) => {
    response.on('close', () => left.resolve());
    const answer = { jsonrpc: '2.0', id: message.id, result: { content: [{ type: 'text', text: 'paid' }] } };
    beginStream(response, `data: ${JSON.stringify(answer)}\n\n`);
  };
  await using server = await openScriptedMcpServer({ hasSessions: true, onCall });
  await using servers = useMcpServers({ scripted: { url: server.url } });

  const result = await callMcpTool(servers, 'scripted__pay', { effect: 'at_most_once' });
  await left.promise;

  expect(result).toMatchObject({ status: 'success', content: 'paid' });
});

test.each([
  ['connect', undefined],
  ['read', true],
])('ECONNREFUSED of the system call %s shows whether a connection existed', (syscall, wasConnected) => {
  const cause = Object.assign(new Error('refused'), { code: 'ECONNREFUSED', syscall });

  expect(readMcpError(new TypeError('fetch failed', { cause }))).toEqual({
    ...{ kind: 'broken', code: 'ECONNREFUSED' },
    ...(wasConnected && { wasConnected }),
  });
});
