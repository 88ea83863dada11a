import { createHmac } from 'node:crypto';

/** What is signed: the exact text that goes out, under its id, at the moment of this attempt (Unix seconds). */
export type Signable = { secrets: readonly string[]; id: string; timestampSeconds: number; body: string };

/** The three headers of Standard Webhooks; one signature per secret, so that receivers can rotate in their own time. */
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
