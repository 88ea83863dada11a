import { createHmac, randomBytes } from 'node:crypto';
import { Misconfigured } from '../failure.ts';

/** What is signed: the exact text that is sent, its id, and the time of this attempt (Unix seconds). */
export type Signable = { secrets: readonly string[]; id: string; timestampSeconds: number; body: string };

/** The three headers of Standard Webhooks, with one signature per secret, so that receivers can rotate later. */
export function signWebhook({ secrets, id, timestampSeconds, body }: Signable): Record<string, string> {
  const content = `${id}.${timestampSeconds}.${body}`;
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestampSeconds),
    'webhook-signature': secrets.map((secret) => `v1,${hmac(secret, content)}`).join(' '),
  };
}

function hmac(secret: string, content: string): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  return createHmac('sha256', key).update(content).digest('base64');
}

/** A fresh secret for signing webhooks: 32 random bytes. */
export function newWebhookSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

/** Reads `PAWL_WEBHOOK_SECRET`, one secret or several while rotating. Throws Misconfigured, never showing a secret. */
export function parseWebhookSecrets(text: string): string[] {
  const secrets = text
    .split(',')
    .map((secret) => secret.trim())
    .filter((secret) => secret !== '');
  const wrong = secrets.findIndex((secret) => !isWebhookSecret(secret));
  if (secrets.length > 0 && wrong === -1) return secrets;
  const which = wrong === -1 ? 'there is none' : `number ${wrong + 1} is not one`;
  throw new Misconfigured(`PAWL_WEBHOOK_SECRET: secrets are “whsec_” and base64 of 24 to 64 bytes, but ${which}.`);
}

/** Decoding and encoding must give the same text: Node skips what is not base64, receivers refuse it. */
function isWebhookSecret(secret: string): boolean {
  const [, encoded = ''] = /^whsec_(.+)$/.exec(secret) ?? [];
  const key = Buffer.from(encoded, 'base64');
  return key.length >= 24 && key.length <= 64 && key.toString('base64') === encoded;
}
