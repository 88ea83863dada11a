import { EgressFailed } from '../egress/failure.ts';
import type { Egress } from '../egress/open.ts';
import type { EgressResponse } from '../egress/send.ts';
import { cleanText } from '../text.ts';
import type { TraceHeaders } from '../trace-context.ts';
import { classifyResponse, type DeliveryOutcome } from './outcome.ts';
import { signWebhook } from './sign.ts';

const TIMEOUT_MS = 15_000;
const MAX_RESPONSE_BYTES = 1024;

/** The body of a webhook. The webhook of a response has its time in Unix seconds. */
export type WebhookEvent = { id: string; object: 'event'; type: string } & (
  | { timestamp: string; data: { id: string; round?: unknown; turn?: unknown } }
  | { created_at: number; data: { id: string } }
);

/** One attempt: its URL, the secrets that sign it, and its event. */
export type WebhookPost = {
  url: string;
  secrets: readonly string[];
  event: WebhookEvent;
  trace?: TraceHeaders;
  signal?: AbortSignal;
};

/** `body` is the first 1 KiB of the answer. `hasTimedOut` may be true after the status arrived. */
export type WebhookResponse = DeliveryOutcome & {
  statusCode: number | null;
  hasTimedOut: boolean;
  body: string | null;
  retryAfterMs: number | undefined;
  durationMs: number;
};

/**
 * Makes one attempt. Throws EgressFailed only if Pawl aborted it before an answer, which does not count as an
 * attempt.
 */
export async function postWebhook(egress: Egress, post: WebhookPost): Promise<WebhookResponse> {
  const startedAt = performance.now();
  const answer = await send(egress, post);
  const durationMs = Math.round(performance.now() - startedAt);
  const body = answer.body === null ? null : cleanText(answer.body);
  const { status: statusCode, retryAfterMs } = answer;
  const hasTimedOut = answer instanceof EgressFailed && answer.kind === 'timeout';
  return { ...classifyResponse(answer), statusCode, hasTimedOut, body, retryAfterMs, durationMs };
}

async function send(
  egress: Egress,
  { url, secrets, event, trace, signal }: WebhookPost,
): Promise<EgressResponse | EgressFailed> {
  const body = JSON.stringify(event);
  const signed = signWebhook({ secrets, id: event.id, timestampSeconds: Math.floor(Date.now() / 1000), body });
  const headers = { 'content-type': 'application/json', 'user-agent': 'Pawl', ...trace, ...signed };
  const bounds = { timeoutMs: TIMEOUT_MS, maxBytes: MAX_RESPONSE_BYTES, ...(signal && { signal }) };
  try {
    return await egress.send({ url, headers, body, ...bounds });
  } catch (error) {
    if (error instanceof EgressFailed && (error.kind !== 'aborted' || error.status !== null)) return error;
    throw error;
  }
}
