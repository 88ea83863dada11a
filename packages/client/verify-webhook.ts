import type { DisabledWebhook, ResponseWebhook, RoundWebhook, TestWebhook, TurnWebhook } from './generated.ts';
import { webCrypto } from './web-crypto.ts';

/** The body of a webhook. `data.id` is the id of the turn, response or endpoint. `turn` needs `include: ["turn"]`. */
export type WebhookEvent = TurnWebhook | RoundWebhook | ResponseWebhook | DisabledWebhook | TestWebhook;

/** Headers from any server: a `Headers` object, or a plain object with names in any case. */
export type WebhookHeaders = { get(name: string): string | null } | Record<string, string | string[] | undefined>;

/** The maximum age of a webhook in seconds, and the current time in milliseconds. */
export type WebhookBounds = { toleranceSeconds?: number; now?: number };

/** A webhook that must not be trusted. The message says why. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError';
}

/**
 * Checks the sender of a webhook, and that it is at most 5 minutes old. Pass the body exactly as received. While you
 * rotate secrets, pass all that you trust. Throws WebhookError.
 */
export async function verifyWebhook(
  body: string,
  headers: WebhookHeaders,
  secrets: string | readonly string[],
  { toleranceSeconds = 300, now = Date.now() }: WebhookBounds = {},
): Promise<WebhookEvent> {
  const [id, timestamp, signatures] = ['id', 'timestamp', 'signature'].map((name) => headerOf(headers, name));
  if (!id || !timestamp || !signatures) {
    throw new WebhookError(
      'The request is not a webhook of Pawl: webhook-id, webhook-timestamp or webhook-signature is missing.',
    );
  }
  checkTime(timestamp, { toleranceSeconds, now });
  const checks = await Promise.all([secrets].flat().map(checkWith));
  const content = new TextEncoder().encode(`${id}.${timestamp}.${body}`);
  if (!(await isSigned(content, signatures, checks))) {
    throw new WebhookError('No signature matches. Check the secret, and pass the body unchanged.');
  }
  return JSON.parse(body) as WebhookEvent;
}

function headerOf(headers: WebhookHeaders, name: string): string | undefined {
  const full = `webhook-${name}`;
  if (typeof headers.get === 'function') return headers.get(full) ?? undefined;
  const value = Object.entries(headers).find(([key]) => key.toLowerCase() === full)?.[1];
  return [value].flat().join(' ');
}

function checkTime(timestamp: string, { toleranceSeconds, now }: Required<WebhookBounds>): void {
  const aheadSeconds = /^\d+$/.test(timestamp) ? Number(timestamp) - Math.floor(now / 1000) : Number.NaN;
  if (Math.abs(aheadSeconds) <= toleranceSeconds) return;
  if (Number.isNaN(aheadSeconds)) throw new WebhookError('The webhook-timestamp is not a number of seconds.');
  if (aheadSeconds > 0) throw new WebhookError('The webhook is from the future. Check the clock of this machine.');
  throw new WebhookError('The webhook is too old and may be a replay. Check the clock of this machine.');
}

type Bytes = Uint8Array<ArrayBuffer>;
type Check = (content: Bytes, signature: Bytes) => Promise<boolean>;

/** Takes the same time for all wrong signatures. */
async function checkWith(secret: string): Promise<Check> {
  const bytes = bytesOf(secret.replace(/^whsec_/, ''));
  if (!bytes?.length) throw new WebhookError('The secret is not “whsec_” and base64. Check your settings.');
  const { subtle } = await webCrypto();
  const key = await subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
  return (content, signature) => subtle.verify('HMAC', key, signature, content);
}

async function isSigned(content: Bytes, signatures: string, checks: Check[]): Promise<boolean> {
  for (const signature of signatures.split(' ')) {
    const bytes = signature.startsWith('v1,') ? bytesOf(signature.slice(3)) : undefined;
    if (!bytes) continue;
    for (const check of checks) if (await check(content, bytes)) return true;
  }
  return false;
}

function bytesOf(base64: string): Bytes | undefined {
  try {
    return Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
  } catch {
    return undefined;
  }
}
