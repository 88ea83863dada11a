import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { describeRefusal } from '../refusals.ts';
import { parse, serve } from './raw-server.ts';

test.each([
  ['nothing', ''],
  ['half a request line', 'POST /v1/tu'],
  ['half a header', 'POST /v1/turns HTTP/1.1\r\nhost: localhost\r\ncontent-ty'],
])('a client that sends only %s gets 408, and its connection closes', async (_, sent) => {
  await using server = await serve({ headersMs: 200, requestMs: 400 });

  const answer = parse(await text(server.send(sent)));

  expect(describeRefusal(answer)).toBe('408 request_timeout: null');
  expect(server.asked()).toBe(0);
});

test('a client that stops within its body gets 408, and its connection closes', async () => {
  await using server = await serve({ headersMs: 200, requestMs: 400 });

  const socket = server.send('POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n\r\n{"inp');

  expect(describeRefusal(parse(await text(socket)))).toBe('408 request_timeout: null');
});

test('a client that does not read its answer is disconnected', async () => {
  await using server = await serve({ idleMs: 300 });
  const socket = connect(server.port, '127.0.0.1');
  socket.pause();

  socket.write('GET /large HTTP/1.1\r\nhost: localhost\r\n\r\n');

  await server.closed(1);
  socket.destroy();
});

test.each([
  ['an invalid request line', 'HELLO\r\n\r\n', '400 invalid_http: null'],
  ['an invalid header', 'GET / HTTP/1.1\r\nhost: localhost\r\nx y: z\r\n\r\n', '400 invalid_http: null'],
  [
    'headers over 16 KiB',
    `GET / HTTP/1.1\r\nhost: localhost\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`,
    '431 headers_too_large: null',
  ],
  ['HTTP/1.1 without Host', 'GET / HTTP/1.1\r\n\r\n', '400 invalid_http: Host'],
  [
    'an expectation that is not 100-continue',
    'POST / HTTP/1.1\r\nhost: localhost\r\nexpect: x\r\ncontent-length: 2\r\n\r\n{}',
    '417 expectation_failed: Expect',
  ],
])('%s is refused with the usual error envelope', async (_, sent, refusal) => {
  await using server = await serve({});

  const answer = parse(await text(server.send(sent)));

  expect(describeRefusal(answer)).toBe(refusal);
});

test.each([
  ['a POST', 1],
  ['two POSTs', 2],
])('%s with stray bytes after the body is answered before the bytes are refused', async (_, times) => {
  await using server = await serve({});
  const post = 'POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 2\r\n\r\n{}';

  const answers = (await text(server.send(`${post.repeat(times)}stray\r\n`))).split(/(?=HTTP\/1\.1 )/);

  expect(answers.map((answer) => answer.split('\r\n')[0])).toEqual([
    ...Array(times).fill('HTTP/1.1 200 OK'),
    'HTTP/1.1 400 Bad Request',
  ]);
  expect(describeRefusal(parse(answers.at(-1)!))).toBe('400 invalid_http: null');
  expect(server.asked()).toBe(times);
});

test('the server closes a connection if the client leaves after stray bytes', async () => {
  await using server = await serve({});
  const socket = server.send('GET /large HTTP/1.1\r\nhost: localhost\r\n\r\nstray\r\n');
  await once(socket, 'data');

  socket.destroy();

  await server.closed(1);
});

test('an HTTP/1.0 request does not require a Host header', async () => {
  await using server = await serve({});

  expect(await text(server.send('GET / HTTP/1.0\r\n\r\n'))).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
});

test('a connection above the maximum is refused until another connection closes', async () => {
  await using server = await serve({ connections: 1 });
  const request = 'POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 0\r\n\r\n';
  const first = server.send(request);
  await once(first, 'data');

  const refused = parse(await text(server.send(request)));
  const asked = server.asked();
  first.destroy();
  await server.closed(2);
  const third = server.send(request);

  expect(describeRefusal(refused)).toBe('503 too_many_connections: null');
  expect(refused.headers.get('retry-after')).toBe('1');
  expect(asked).toBe(1);
  expect(String(await once(third, 'data'))).toContain('200 OK');
  third.destroy();
});

test.each(['GET', 'HEAD'])('a connection above the maximum still gets the answer of %s /healthz', async (method) => {
  await using server = await serve({ connections: 1 });
  const asking = (asked: string) => `${asked} HTTP/1.1\r\nhost: localhost\r\n\r\n`;
  const first = server.send(asking('GET /'));
  await once(first, 'data');

  const health = await text(server.send(asking(`${method} /healthz`)));
  const other = await text(server.send(asking(`${method} /healthz/more`)));

  expect(health).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  expect(health.toLowerCase()).toContain('connection: close');
  expect(other).toMatch(/^HTTP\/1\.1 503 /);
  first.destroy();
});
