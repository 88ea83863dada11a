import type { DisabledWebhook, ResponseWebhook, RoundWebhook, TestWebhook, TurnWebhook } from './generated.ts';
import { webCrypto } from './web-crypto.ts';

/** The body of a webhook; `data.id` is the turn's, the response's or the endpoint's. `turn` comes with `include: ["turn"]`. */
export type WebhookEvent = TurnWebhook | RoundWebhook | ResponseWebhook | DisabledWebhook | TestWebhook;

/** Headers of any server: those of the web, or a plain object of any spelling. */
export type WebhookHeaders = { get(name: string): string | null } | Record<string, string | string[] | undefined>;

/** How old a webhook may be, and the time it is compared with, in milliseconds. */
export type WebhookBounds = { toleranceSeconds?: number; now?: number };

/** A webhook that must not be trusted; the message says why. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError';
}

/**
 * Checks the sender of a webhook, and that it is at most 5 minutes old. Give the body exactly as it came, and while you
 * rotate all the secrets you trust. Throws WebhookError.
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
      'This is no webhook of Pawl: webhook-id, webhook-timestamp or webhook-signature is missing.',
    );
  }
  checkTime(timestamp, { toleranceSeconds, now });
  const checks = await Promise.all([secrets].flat().map(checkWith));
  const content = new TextEncoder().encode(`${id}.${timestamp}.${body}`);
  if (!(await isSigned(content, signatures, checks))) {
    throw new WebhookError('No signature fits. Check the secret, and that the body is given exactly as it came.');
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
  if (Number.isNaN(aheadSeconds)) throw new WebhookError('The webhook-timestamp is no number of seconds.');
  if (aheadSeconds > 0) throw new WebhookError('The webhook is from the future. Check the clock of this machine.');
  throw new WebhookError('The webhook is too old. It may have been replayed; or check the clock of this machine.');
}

type Bytes = Uint8Array<ArrayBuffer>;
type Check = (content: Bytes, signature: Bytes) => Promise<boolean>;

/** Takes the same time for all wrong signatures. */
async function checkWith(secret: string): Promise<Check> {
  const bytes = bytesOf(secret.replace(/^whsec_/, ''));
  if (!bytes?.length) throw new WebhookError('A secret is “whsec_” and base64, and this is none. Check your settings.');
  const { subtle } = await webCrypto();
  const key = await subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
  return (content, signature) => subtle.verify('HMAC', key, signature, content);
}

/** Whether any secret fits any signature. */
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
