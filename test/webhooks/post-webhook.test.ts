import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { postWebhook, type WebhookEvent } from '#core/webhooks/post.ts';
import { newWebhookSecret } from '#core/webhooks/sign.ts';
import { egressTo } from '#test/egress/egress.ts';
import { startReceiver } from '#test/egress/receiver.ts';

const secrets = [newWebhookSecret()];
const event: WebhookEvent = {
  id: 'evt_01k00000000000000000000000',
  object: 'event',
  type: 'turn.completed',
  timestamp: '2026-11-20T10:00:00.000Z',
  data: { id: 'turn_01k00000000000000000000000', turn: { output: 'grüße 🐟' } },
};

test('an event arrives unchanged, and the reference library accepts its signature', async () => {
  const arrived: { headers: Record<string, string>; body: string }[] = [];
  await using receiver = await startReceiver(async (request, response) => {
    arrived.push({ headers: request.headers as Record<string, string>, body: await text(request) });
    response.writeHead(204).end();
  });
  await using egress = egressTo('127.0.0.1');

  const outcome = await postWebhook(egress, { url: receiver.url, secrets, event });

  const [{ headers, body }] = arrived as [(typeof arrived)[0]];
  expect(outcome).toEqual({
    kind: 'delivered',
    statusCode: 204,
    hasTimedOut: false,
    body: '',
    durationMs: expect.any(Number),
  });
  expect(new Webhook(secrets[0]!).verify(body, headers)).toEqual(event);
  expect(headers).toMatchObject({ 'webhook-id': event.id, 'content-type': 'application/json', 'user-agent': 'Pawl' });
});

test.each([
  [500, { kind: 'retry', error: 'The receiver answered 500.', statusCode: 500 }],
  [302, { kind: 'retry', error: 'The receiver answered 302: redirects are not followed.', statusCode: 302 }],
  [410, { kind: 'stop', error: 'The receiver answered 410: it accepts no more events.', statusCode: 410 }],
])('the outcome of a %i has the status', async (status, expected) => {
  await using receiver = await startReceiver((_request, response) => {
    response.writeHead(status, { location: '/' }).end();
  });
  await using egress = egressTo('127.0.0.1');

  const outcome = await postWebhook(egress, { url: receiver.url, secrets, event });

  expect(outcome).toEqual({ ...expected, hasTimedOut: false, body: '', durationMs: expect.any(Number) });
});

test('a delivery to an unreachable receiver is retried later', async () => {
  const receiver = await startReceiver(() => {});
  await receiver[Symbol.asyncDispose]();
  await using egress = egressTo('127.0.0.1');

  const outcome = await postWebhook(egress, { url: receiver.url, secrets, event });

  expect(outcome).toMatchObject({ kind: 'retry', error: expect.stringContaining('127.0.0.1'), statusCode: null });
});

test('a forbidden address gets no connection', async () => {
  await using recorder = await startReceiver((_request, response) => response.end());
  await using egress = egressTo('');

  const outcome = await postWebhook(egress, { url: recorder.url, secrets, event });

  expect(outcome).toMatchObject({ kind: 'retry', statusCode: null });
  expect(recorder.connections).toHaveLength(0);
});

test('a delivery that Pawl aborts is not an attempt', async () => {
  const arrived = Promise.withResolvers<void>();
  await using receiver = await startReceiver(() => arrived.resolve());
  await using egress = egressTo('127.0.0.1');
  const shutdown = new AbortController();

  const outcome = postWebhook(egress, { url: receiver.url, secrets, event, signal: shutdown.signal });
  await arrived.promise;
  shutdown.abort();

  await expect(outcome).rejects.toMatchObject({ kind: 'aborted' });
});
