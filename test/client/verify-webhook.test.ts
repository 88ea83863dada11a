import { verifyWebhook, WebhookError, type WebhookEvent } from 'pawl/webhook';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { newWebhookSecret, signWebhook } from '#core/webhooks/sign.ts';
import { webhookEvents } from '#services/api/webhooks/schemas/webhooks.ts';

const secret = newWebhookSecret();
const body = JSON.stringify({
  id: 'evt_1',
  object: 'event',
  type: 'turn.completed',
  data: { id: 'turn_1' },
  über: '👋',
});
const nowSeconds = 1_800_000_000;
const now = nowSeconds * 1000;
const signed = (more: { secrets?: string[]; timestampSeconds?: number } = {}) =>
  signWebhook({ secrets: [secret], id: 'evt_1', timestampSeconds: nowSeconds, body, ...more });

/** Each webhook event. The file does not compile if the client and the API differ in these events. */
const sent = {
  ...{ 'turn.completed': true, 'turn.incomplete': true, 'turn.failed': true, 'turn.cancelled': true },
  ...{ 'response.completed': true, 'response.incomplete': true, 'response.failed': true, 'response.cancelled': true },
  ...{ 'turn.requires_action': true, 'round.completed': true, 'webhook_endpoint.disabled': true, 'webhook.test': true },
} satisfies Record<keyof typeof webhookEvents, true> satisfies Record<WebhookEvent['type'], true>;

test.each(Object.keys(sent))('%s is verified and matches its schema in the API', async (type) => {
  const [example] = webhookEvents[type as keyof typeof sent].meta()!.examples as { type: string }[];
  const text = JSON.stringify({ ...example, type });
  const headers = signWebhook({ secrets: [secret], id: 'evt_1', timestampSeconds: nowSeconds, body: text });

  const event = await verifyWebhook(text, headers, secret, { now });

  expect(webhookEvents[event.type].parse(event)).toMatchObject({ type });
});

test('the example of Standard Webhooks is verified', async () => {
  const headers = {
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  };

  const event = await verifyWebhook('{"test": 2432232314}', headers, 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', {
    now: 1_614_265_330_000,
  });

  expect(event).toEqual({ test: 2432232314 });
});

test('a signature of the public library is verified, with any form of the headers', async () => {
  const signature = new Webhook(secret).sign('evt_1', new Date(now), body);
  const plain = { 'Webhook-Id': 'evt_1', 'WEBHOOK-TIMESTAMP': String(nowSeconds), 'webhook-signature': [signature] };
  const ofTheWeb = new Headers({ ...plain, 'webhook-signature': signature });

  const events = [
    await verifyWebhook(body, plain, secret, { now }),
    await verifyWebhook(body, ofTheWeb, secret.slice('whsec_'.length), { now }),
  ];

  expect(events).toEqual([JSON.parse(body), JSON.parse(body)]);
});

test('during a rotation a webhook is verified with any of several secrets', async () => {
  const [old, fresh] = [newWebhookSecret(), newWebhookSecret()];
  const headers = signed({ secrets: [old, secret] });
  const mixed = `v1a,abc v2,${btoa('x')} v1,!!! v1, ${headers['webhook-signature']}`;

  await expect(verifyWebhook(body, headers, [fresh, secret], { now })).resolves.toMatchObject({ id: 'evt_1' });
  await expect(verifyWebhook(body, { ...headers, 'webhook-signature': mixed }, secret, { now })).resolves.toMatchObject(
    { id: 'evt_1' },
  );
  await expect(verifyWebhook(body, headers, fresh, { now })).rejects.toThrow('No signature matches.');
  await expect(verifyWebhook(body, headers, [], { now })).rejects.toThrow('No signature matches.');
});

test.each([
  ['another body', body.replace('turn_1', 'turn_2'), {}],
  ['another id', body, { 'webhook-id': 'evt_2' }],
  ['another time', body, { 'webhook-timestamp': String(nowSeconds + 1) }],
  ['half a signature', body, { 'webhook-signature': signed()['webhook-signature']?.slice(0, 20) }],
  ['another version', body, { 'webhook-signature': signed()['webhook-signature']?.replace('v1', 'v2') }],
])('a webhook with %s is refused', async (_, text, headers) => {
  const verifying = verifyWebhook(text, { ...signed(), ...headers }, secret, { now });

  await expect(verifying).rejects.toThrow(WebhookError);
  await expect(verifying).rejects.toThrow('No signature matches.');
});

test('a webhook is valid for five minutes in either direction', async () => {
  const at = (timestampSeconds: number) => verifyWebhook(body, signed({ timestampSeconds }), secret, { now });

  await expect(at(nowSeconds - 300)).resolves.toBeDefined();
  await expect(at(nowSeconds + 300)).resolves.toBeDefined();
  await expect(at(nowSeconds - 301)).rejects.toThrow('too old');
  await expect(at(nowSeconds + 301)).rejects.toThrow('from the future');
  await expect(
    verifyWebhook(body, signed({ timestampSeconds: nowSeconds - 900 }), secret, { now, toleranceSeconds: 1000 }),
  ).resolves.toBeDefined();
});

test.each(['webhook-id', 'webhook-timestamp', 'webhook-signature'])('a webhook without %s is refused', async (name) => {
  const { [name]: _, ...headers } = signed();

  await expect(verifyWebhook(body, headers, secret, { now })).rejects.toThrow('is missing');
});

test('an invalid time and an invalid secret are reported, without the secret', async () => {
  const verifying = verifyWebhook(body, signed(), 'whsec_not base64!', { now });

  await expect(verifyWebhook(body, { ...signed(), 'webhook-timestamp': 'now' }, secret, { now })).rejects.toThrow(
    'not a number of seconds',
  );
  await expect(verifying).rejects.toThrow('The secret is not “whsec_” and base64.');
  await expect(verifyWebhook(body, signed(), 'whsec_', { now })).rejects.toThrow('The secret is not');
});
