import { createHmac, randomBytes } from 'node:crypto';
import { Misconfigured } from '../failure.ts';

/** The signed content: the exact text of the body, its id, and the time of this attempt in Unix seconds. */
export type Signable = { secrets: readonly string[]; id: string; timestampSeconds: number; body: string };

/**
 * Returns the three headers of Standard Webhooks. Each secret has a signature, so that receivers can rotate secrets.
 */
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

/** Returns a new secret of 32 random bytes for signing webhooks. */
export function newWebhookSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

/**
 * Reads `PAWL_WEBHOOK_SECRET`: one secret, or several during a rotation. Throws Misconfigured without showing a
 * secret.
 */
export function parseWebhookSecrets(text: string): string[] {
  const secrets = text
    .split(',')
    .map((secret) => secret.trim())
    .filter((secret) => secret !== '');
  const wrong = secrets.findIndex((secret) => !isWebhookSecret(secret));
  if (secrets.length > 0 && wrong === -1) return secrets;
  const which = wrong === -1 ? 'the list is empty' : `secret ${wrong + 1} is not valid`;
  throw new Misconfigured(`PAWL_WEBHOOK_SECRET: ${which}. ${SECRET_ADVICE}`);
}

const SECRET_ADVICE = 'Write each secret as “whsec_” and the base64 of 24 to 64 bytes.';

/**
 * Requires that decoding and encoding give the same text. Node skips characters outside base64, receivers refuse
 * them.
 */
function isWebhookSecret(secret: string): boolean {
  const [, encoded = ''] = /^whsec_(.+)$/.exec(secret) ?? [];
  const key = Buffer.from(encoded, 'base64');
  return key.length >= 24 && key.length <= 64 && key.toString('base64') === encoded;
}
