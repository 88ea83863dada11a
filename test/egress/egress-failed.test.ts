import { once } from 'node:events';
import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { egressTo, failureOf, requestTo } from './egress.ts';
import { startRawReceiver, startReceiver } from './receiver.ts';

test('a refused connection fails as not sent', async () => {
  const receiver = await startReceiver(() => {});
  await receiver[Symbol.asyncDispose]();
  await using egress = egressTo('127.0.0.1');

  const failure = await failureOf(egress.send(requestTo(receiver.url)));

  expect(failure).toMatchObject({ kind: 'not-connected', sent: false });
  expect(failure.message).toBe('The connection to 127.0.0.1 failed (ECONNREFUSED).');
});

test('a name that does not resolve fails as not sent', async () => {
  const missing = Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' });
  await using egress = egressTo('10.0.0.0/8', async () => Promise.reject(missing));

  const failure = await failureOf(egress.send(requestTo('http://nowhere.test/')));

  expect(failure).toMatchObject({ kind: 'not-connected', sent: false });
  expect(failure.message).toContain('nowhere.test');
});

test('a hanging name lookup causes a timeout, and fails as not sent', async () => {
  await using egress = egressTo('10.0.0.0/8', () => new Promise(() => {}));

  const failure = await failureOf(egress.send(requestTo('http://slow.test/', { timeoutMs: 50 })));

  expect(failure).toMatchObject({ kind: 'timeout', sent: false });
});

test('a request that is aborted before its connection is never sent later', async () => {
  const { promise: addresses, resolve: answerLookup } = Promise.withResolvers<{ address: string; family: number }[]>();
  let bytes = 0;
  await using receiver = await startRawReceiver((socket) => socket.on('data', (chunk) => (bytes += chunk.length)));
  await using egress = egressTo('127.0.0.1/32', () => addresses);
  const failure = await failureOf(egress.send(requestTo(`http://slow.test:${receiver.port}/`, { timeoutMs: 50 })));

  answerLookup([{ address: '127.0.0.1', family: 4 }]);
  while (receiver.connections.length === 0) await turnOfTheLoop();
  await once(receiver.connections[0]!, 'close');

  expect(failure).toMatchObject({ kind: 'timeout', sent: false });
  expect(bytes).toBe(0);
});

test('a failing TLS handshake fails as not sent', async () => {
  await using receiver = await startReceiver((_request, response) => response.end());
  await using egress = egressTo('127.0.0.1');

  const failure = await failureOf(egress.send(requestTo(receiver.url.replace('http:', 'https:'))));

  expect(failure).toMatchObject({ kind: 'not-connected', sent: false });
});

const brokenAnswers: [string, string, number | null][] = [
  ['no bytes', '', null],
  ['half a head', 'HTTP/1.1 200 OK\r\ncontent-le', null],
  ['half a body', 'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf', 200],
  ['no HTTP', 'SSH-2.0-OpenSSH_9.9\r\n', null],
  ['a flood of headers', `HTTP/1.1 200 OK\r\n${'x-flood: x\r\n'.repeat(100_000)}\r\n`, null],
  ['an upgrade that was not requested', 'HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n', null],
];

test.each(brokenAnswers)('an answer of %s is cut, with the request sent', async (_what, bytes, status) => {
  await using receiver = await startRawReceiver((socket) => socket.once('data', () => socket.end(bytes)));
  await using egress = egressTo('127.0.0.1');

  const failure = await failureOf(egress.send(requestTo(receiver.url)));

  expect(failure).toMatchObject({ kind: 'cut', sent: true, status });
});

test('a request on a connection that breaks off is not repeated', async () => {
  let requests = 0;
  await using receiver = await startRawReceiver((socket) => {
    socket.once('data', () => {
      requests += 1;
      socket.resetAndDestroy();
    });
  });
  await using egress = egressTo('127.0.0.1');

  const failure = await failureOf(egress.send(requestTo(receiver.url)));
  await turnOfTheLoop();

  expect(failure).toMatchObject({ kind: 'cut', sent: true });
  expect(requests).toBe(1);
});

test('an invalid header fails before the request is sent', async () => {
  await using receiver = await startReceiver((_request, response) => response.end());
  await using egress = egressTo('127.0.0.1');

  const failure = await failureOf(egress.send(requestTo(receiver.url, { headers: { 'x-key': 'a\r\nhost: b' } })));

  expect(failure).toMatchObject({ kind: 'blocked', sent: false });
  expect(receiver.connections).toHaveLength(0);
});

test('an aborted request fails at once, before or after it was sent', async () => {
  const arrived = Promise.withResolvers<void>();
  await using receiver = await startReceiver(() => arrived.resolve());
  await using egress = egressTo('127.0.0.1');
  const caller = new AbortController();

  const underWay = failureOf(egress.send(requestTo(receiver.url, { signal: caller.signal })));
  await arrived.promise;
  caller.abort();
  const tooLate = await failureOf(egress.send(requestTo(receiver.url, { signal: caller.signal })));

  expect(await underWay).toMatchObject({ kind: 'aborted', sent: true });
  expect(tooLate).toMatchObject({ kind: 'aborted', sent: false });
});

test('a closed egress ends running requests and sends no others', async () => {
  const arrived = Promise.withResolvers<void>();
  await using receiver = await startReceiver(() => arrived.resolve());
  const egress = egressTo('127.0.0.1');

  const underWay = failureOf(egress.send(requestTo(receiver.url)));
  await arrived.promise;
  await egress.close();

  expect(await underWay).toMatchObject({ kind: 'aborted', sent: true });
  expect(await failureOf(egress.send(requestTo(receiver.url)))).toMatchObject({ kind: 'aborted', sent: false });
});
