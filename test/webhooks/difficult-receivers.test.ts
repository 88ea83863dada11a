import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { postWebhook, type WebhookEvent } from '#core/webhooks/post.ts';
import { newWebhookSecret } from '#core/webhooks/sign.ts';
import { egressTo } from '#test/egress/egress.ts';
import { startRawReceiver, startReceiver } from '#test/egress/receiver.ts';
import { repeat } from '#test/harness/repeat.ts';
import { selfSigned } from '#test/webhooks/self-signed.ts';

const secrets = [newWebhookSecret(), newWebhookSecret()];
const event: WebhookEvent = {
  id: 'evt_01k00000000000000000000000',
  object: 'event',
  type: 'turn.completed',
  timestamp: '2026-11-20T10:00:00.000Z',
  data: { id: 'turn_01k00000000000000000000000' },
};

/** Starts a receiver that checks each event with the public library, under the old and the new secret. */
async function startDifficult(answer: (response: ServerResponse) => void) {
  const verified: unknown[] = [];
  const receiver = await startReceiver(async (request: IncomingMessage, response) => {
    const body = await text(request);
    const headers = request.headers as Record<string, string>;
    for (const secret of secrets) verified.push(new Webhook(secret).verify(body, headers));
    answer(response);
  });
  return Object.assign(receiver, { verified });
}

test('hanging receivers have 15 s, before or after their status, and a 2xx counts', async () => {
  await using silent = await startDifficult(() => {});
  await using stalled = await startDifficult((response) => response.writeHead(200).write('I will be'));
  await using refusing = await startDifficult((response) =>
    response.writeHead(503, { 'retry-after': '7' }).write('I cannot'),
  );
  await using dripping = await startDifficult((response) => {
    response.writeHead(206).on(
      'close',
      repeat(() => response.write('.'), 100),
    );
  });
  await using egress = egressTo('127.0.0.1');

  const receivers = [silent, stalled, refusing, dripping];
  const outcomes = await Promise.all(receivers.map(({ url }) => postWebhook(egress, { url, secrets, event })));

  const reason = '127.0.0.1 did not answer within 15000 ms.';
  expect(outcomes.every(({ hasTimedOut }) => hasTimedOut)).toBe(true);
  expect(outcomes).toMatchObject([
    { durationMs: expect.any(Number), kind: 'retry', statusCode: null, error: reason, body: null },
    { durationMs: expect.any(Number), kind: 'delivered', statusCode: 200, body: 'I will be' },
    {
      durationMs: expect.any(Number),
      kind: 'retry',
      statusCode: 503,
      error: reason,
      body: 'I cannot',
      retryAfterMs: 7_000,
    },
    { durationMs: expect.any(Number), kind: 'delivered', statusCode: 206, body: expect.stringMatching(/^\.+$/) },
  ]);
  for (const { verified } of receivers) expect(verified).toEqual([event, event]);
});

test('a receiver that sends a late 200 has the event', async () => {
  const answers: ServerResponse[] = [];
  const arrived = Promise.withResolvers<void>();
  await using receiver = await startDifficult((response) => {
    answers.push(response);
    arrived.resolve();
  });
  await using egress = egressTo('127.0.0.1');

  const outcome = postWebhook(egress, { url: receiver.url, secrets, event });
  await arrived.promise;
  answers[0]!.writeHead(200).end('At last.');

  expect(await outcome).toMatchObject({ kind: 'delivered', statusCode: 200, body: 'At last.' });
  expect(receiver.verified).toEqual([event, event]);
});

test('an endless answer of a receiver is read for a KiB and then aborted', async () => {
  await using receiver = await startDifficult((response) => {
    const pour = () => {
      while (!response.destroyed && response.write('x'.repeat(65_536)));
      response.once('drain', pour);
    };
    pour();
  });
  await using egress = egressTo('127.0.0.1');

  const outcome = await postWebhook(egress, { url: receiver.url, secrets, event });

  expect(outcome).toMatchObject({ kind: 'delivered', statusCode: 200, body: 'x'.repeat(1024) });
  const [socket] = receiver.connections;
  if (!socket!.closed) await new Promise((resolve) => socket!.once('close', resolve));
});

test.each([301, 302, 303, 307, 308])('a %i to an internal address is not followed', async (status) => {
  await using recorder = await startReceiver((_request, response) => response.end());
  await using receiver = await startDifficult((response) =>
    response.writeHead(status, { location: `${recorder.url}/` }).end(),
  );
  await using egress = egressTo(`127.0.0.1:${receiver.port}`);

  const outcome = await postWebhook(egress, { url: receiver.url, secrets, event });

  expect(outcome).toMatchObject({ kind: 'retry', statusCode: status });
  expect(recorder.connections).toHaveLength(0);
});

const broken: [string, (socket: Socket) => void][] = [
  ['hangs up at once', (socket) => socket.destroy()],
  ['resets the connection', (socket) => socket.once('data', () => socket.resetAndDestroy())],
  ['answers without HTTP', (socket) => socket.once('data', () => socket.end('220 mail.example.com ESMTP\r\n'))],
  ['breaks off in its head', (socket) => socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-le'))],
];

test.each(broken)('a receiver that %s is retried later', async (_, speak) => {
  await using receiver = await startRawReceiver(speak);
  await using egress = egressTo('127.0.0.1');

  const outcome = await postWebhook(egress, { url: receiver.url, secrets, event });

  expect(outcome).toMatchObject({ kind: 'retry', statusCode: null, body: null });
});

test('a receiver with a self-signed certificate gets no request, and is retried later', async () => {
  const requests: unknown[] = [];
  const server = createServer(selfSigned(), (request) => void requests.push(request));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  await using egress = egressTo('127.0.0.1');

  const outcome = await postWebhook(egress, { url, secrets, event });
  server.close();

  expect(outcome).toMatchObject({ kind: 'retry', statusCode: null });
  expect(outcome).toMatchObject({ error: expect.stringContaining('DEPTH_ZERO_SELF_SIGNED_CERT') });
  expect(requests).toHaveLength(0);
});

test('a receiver with broken TLS gets no request, and is retried later', async () => {
  await using receiver = await startReceiver((_request, response) => response.end());
  await using egress = egressTo('127.0.0.1');

  const outcome = await postWebhook(egress, { url: receiver.url.replace('http:', 'https:'), secrets, event });

  expect(outcome).toMatchObject({ kind: 'retry', statusCode: null });
  expect(outcome).toMatchObject({ error: expect.stringMatching(/^The connection to 127\.0\.0\.1/) });
});
