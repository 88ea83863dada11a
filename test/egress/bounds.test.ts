import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { type AnswerSlot, openAnswerSlot } from '#core/bounds/answer-slots.ts';
import { repeat } from '#test/harness/repeat.ts';
import { egressTo, failureOf, requestTo } from './egress.ts';
import { pour, startRawReceiver, startReceiver } from './receiver.ts';

test('a receiver that never answers causes a timeout, with the request sent', async () => {
  await using receiver = await startReceiver(() => {});
  await using egress = egressTo('127.0.0.1');

  const failure = await failureOf(egress.send(requestTo(receiver.url, { timeoutMs: 1_500 })));

  expect(failure).toMatchObject({ kind: 'timeout', sent: true, status: null });
});

test('a slow body causes the same timeout, with the status known', async () => {
  await using receiver = await startReceiver((_request, response) => {
    response.writeHead(200);
    response.on(
      'close',
      repeat(() => response.write('.'), 10),
    );
  });
  await using egress = egressTo('127.0.0.1');

  const failure = await failureOf(egress.send(requestTo(receiver.url, { timeoutMs: 1_500 })));

  expect(failure).toMatchObject({ kind: 'timeout', sent: true, status: 200 });
});

test('a large body that does not arrive in time fails, with the reason', async () => {
  await using receiver = await startReceiver((_request, response) => {
    response.write('.'.repeat(1024 * 1024));
  });
  await using egress = egressTo('127.0.0.1');
  using real = openAnswerSlot('alpha');
  const slot: AnswerSlot = { ...real, take: async () => slot.onOverdue() };

  const failure = await failureOf(egress.send(requestTo(receiver.url, { maxBytes: 2 * 1024 * 1024, slot })));

  expect(failure).toMatchObject({ kind: 'timeout', sent: true, status: 200 });
  expect(failure.message).toBe('127.0.0.1 needed more than 60 s for an answer of more than 256 KiB.');
});

test('endless interim answers cause a timeout', async () => {
  await using receiver = await startRawReceiver((socket) => {
    const interim = 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n';
    socket.on(
      'close',
      repeat(() => socket.write(interim), 10),
    );
  });
  await using egress = egressTo('127.0.0.1');

  const failure = await failureOf(egress.send(requestTo(receiver.url, { timeoutMs: 1_500 })));

  expect(failure).toMatchObject({ kind: 'timeout', sent: true, status: null });
});

const INTERIM = 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n';
const CHUNKED = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n';

test('endless informational responses are refused at their bound', async () => {
  await using receiver = await startRawReceiver((socket) => pour(socket, INTERIM));
  await using egress = egressTo('127.0.0.1');

  const failure = await failureOf(egress.send(requestTo(receiver.url, { timeoutMs: 200_000 })));

  expect(failure).toMatchObject({ kind: 'cut', sent: true, status: null });
  expect(failure.message).toBe(
    'The answer of 127.0.0.1 has more than 1,000 informational responses (1xx). Send fewer responses.',
  );
});

test('a hundred informational responses before the answer are read', async () => {
  const answer = `${INTERIM.repeat(100)}HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok`;
  await using receiver = await startRawReceiver((socket) => socket.once('data', () => socket.write(answer)));
  await using egress = egressTo('127.0.0.1');

  expect(await egress.send(requestTo(receiver.url))).toMatchObject({ status: 200, body: 'ok' });
});

test('endless chunks of one byte are refused at their bound, with the status known', async () => {
  await using receiver = await startRawReceiver((socket) => {
    socket.once('data', () => socket.write(CHUNKED));
    pour(socket, '1\r\nx\r\n');
  });
  await using egress = egressTo('127.0.0.1');

  const failure = await failureOf(
    egress.send(requestTo(receiver.url, { timeoutMs: 200_000, maxBytes: 4 * 1024 * 1024 })),
  );

  expect(failure).toMatchObject({ kind: 'cut', sent: true, status: 200 });
  expect(failure.message).toBe(
    'The answer of 127.0.0.1 has more than 25,000 chunks of less than 64 bytes. Send larger chunks.',
  );
});

test('chunks of 64 bytes are read up to the bound in bytes', async () => {
  const chunk = `40\r\n${'x'.repeat(64)}\r\n`;
  await using receiver = await startRawReceiver((socket) => {
    socket.once('data', () => socket.write(CHUNKED));
    pour(socket, chunk);
  });
  await using egress = egressTo('127.0.0.1');

  const answer = await egress.send(requestTo(receiver.url, { timeoutMs: 200_000, maxBytes: 4 * 1024 * 1024 }));

  expect(answer).toMatchObject({ status: 200, truncated: true });
  expect(answer.body).toHaveLength(4 * 1024 * 1024);
});

test('an endless body is cut at its bound, and the connection is destroyed', async () => {
  await using receiver = await startReceiver((_request, response) => {
    const pour = () => {
      while (!response.destroyed && response.write('x'.repeat(65_536)));
      response.once('drain', pour);
    };
    pour();
  });
  await using egress = egressTo('127.0.0.1');

  const answer = await egress.send(requestTo(receiver.url, { maxBytes: 10_000 }));

  expect(answer).toMatchObject({ status: 200, truncated: true, body: 'x'.repeat(10_000) });
  const [socket] = receiver.connections;
  if (!socket!.closed) await new Promise((resolve) => socket!.once('close', resolve));
});

const bounds: [string, number, string, boolean][] = [
  ['hello', 5, 'hello', false],
  ['hello', 4, 'hell', true],
  ['hello', 0, '', true],
  ['', 0, '', false],
  ['aä', 2, 'a', true],
  ['aä', 3, 'aä', false],
];

test.each(bounds)('a body “%s” with a bound of %i bytes is read as “%s”', async (sent, maxBytes, body, truncated) => {
  await using receiver = await startReceiver((_request, response) => response.end(sent));
  await using egress = egressTo('127.0.0.1');

  const answer = await egress.send(requestTo(receiver.url, { maxBytes }));

  expect(answer).toMatchObject({ body, truncated });
});

test('a body in very many chunks arrives complete', async () => {
  const chunks = Array.from({ length: 20_000 }, (_, index) => String(index % 10));
  await using receiver = await startReceiver((_request, response) => {
    for (const chunk of chunks) response.write(chunk);
    response.end();
  });
  await using egress = egressTo('127.0.0.1');

  const answer = await egress.send(requestTo(receiver.url, { maxBytes: 1_000_000 }));

  expect(answer).toMatchObject({ body: chunks.join(''), truncated: false });
});

test('a compressed body that was not requested is not decompressed', async () => {
  const bomb = gzipSync(Buffer.alloc(10_000_000));
  await using receiver = await startReceiver((_request, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb);
  });
  await using egress = egressTo('127.0.0.1');

  const answer = await egress.send(requestTo(receiver.url, { maxBytes: 1_000_000 }));

  expect(answer.body.length).toBeLessThanOrEqual(bomb.length);
});
