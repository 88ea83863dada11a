import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { newWebhookSecret, signWebhook } from '#core/webhooks/sign.ts';
import { msAgo } from '#test/harness/moments.ts';

const published = {
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  timestampSeconds: 1614265330,
  body: '{"test": 2432232314}',
  signature: 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
};

test('the published example of Standard Webhooks gets its published signature', () => {
  const headers = signWebhook({ ...published, secrets: [published.secret] });

  expect(headers).toEqual({
    'webhook-id': published.id,
    'webhook-timestamp': '1614265330',
    'webhook-signature': published.signature,
  });
});

test('receivers with the old and with the new secret accept an event during a rotation', () => {
  const secrets = [newWebhookSecret(), newWebhookSecret()];
  const body = '{"text":"grüße 🐟"}';

  const headers = signWebhook({ secrets, id: 'evt_1', timestampSeconds: nowSeconds(), body });

  expect(headers['webhook-signature']).toMatch(/^v1,\S+ v1,\S+$/);
  for (const secret of secrets) expect(new Webhook(secret).verify(body, headers)).toEqual({ text: 'grüße 🐟' });
});

const tampered: [string, Partial<{ id: string; timestampSeconds: number; body: string }>][] = [
  ['another body', { body: '{"a":2}' }],
  ['another id', { id: 'evt_2' }],
  ['another time', { timestampSeconds: nowSeconds() - 1 }],
];

test.each(tampered)('a signature does not verify with %s', (_what, change) => {
  const secrets = [newWebhookSecret()];
  const sent = { id: 'evt_1', timestampSeconds: nowSeconds(), body: '{"a":1}' };
  const headers = signWebhook({ secrets, ...sent });
  const received = { ...sent, ...change };

  const verify = () =>
    new Webhook(secrets[0]!).verify(received.body, {
      ...headers,
      'webhook-id': received.id,
      'webhook-timestamp': String(received.timestampSeconds),
    });

  expect(verify).toThrow(/No matching signature/);
});

test('a signature expires after five minutes', () => {
  const secrets = [newWebhookSecret()];

  const headers = signWebhook({ secrets, id: 'evt_1', timestampSeconds: nowSeconds() - 302, body: '{}' });

  expect(() => new Webhook(secrets[0]!).verify('{}', headers)).toThrow(/too old/);
});

function nowSeconds(): number {
  return Math.floor(msAgo(0) / 1000);
}
