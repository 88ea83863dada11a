import { expect, test } from 'vitest';
import { newWebhookSecret, parseWebhookSecrets } from '#core/webhooks/sign.ts';

test('a new webhook secret has 32 random bytes and can be configured', () => {
  const secrets = [newWebhookSecret(), newWebhookSecret()];

  const parsed = parseWebhookSecrets(secrets.join(', '));

  expect(parsed).toEqual(secrets);
  expect(new Set(secrets).size).toBe(2);
  for (const secret of secrets) expect(Buffer.from(secret.slice(6), 'base64')).toHaveLength(32);
});

test.each([24, 64])('a webhook secret of %i bytes is accepted', (size) => {
  const secret = secretOf(size);

  expect(parseWebhookSecrets(secret)).toEqual([secret]);
});

const unusable: [string, string][] = [
  ['an empty text', ''],
  ['only commas', ' , '],
  ['no prefix', secretOf(32).slice(6)],
  ['a prefix alone', 'whsec_'],
  ['too short', secretOf(23)],
  ['too long', secretOf(65)],
  ['no base64', `whsec_${'$'.repeat(44)}`],
  ['base64 of URLs', `whsec_${Buffer.alloc(32, 255).toString('base64url')}`],
  ['no padding', secretOf(32).replace('=', '')],
  ['a good one and a bad one', `${secretOf(32)},hunter2`],
];

test.each(unusable)('%s is refused as a webhook secret without being shown', (_what, text) => {
  const parse = () => parseWebhookSecrets(text);

  expect(parse).toThrow(expect.objectContaining({ code: 'misconfigured' }));
  expect(parse).toThrow(/^PAWL_WEBHOOK_SECRET: /);
  expect(parse).not.toThrow(/hunter2|MTEx|\$\$/);
});

function secretOf(size: number): string {
  return `whsec_${Buffer.alloc(size, '1').toString('base64')}`;
}
