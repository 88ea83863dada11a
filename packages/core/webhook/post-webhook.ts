import type { Gate, OutboundAnswer } from '../outbound/open-gate.ts';
import { OutboundFailed } from '../outbound/outbound-failed.ts';
import { cleanText } from '../text.ts';
import { judgeAnswer, type Verdict } from './judge-answer.ts';
import { signWebhook } from './sign.ts';

const TIMEOUT_MS = 15_000;
const MAX_ANSWER_BYTES = 1024;

/** The body of a webhook (contract: Webhooks). */
export type WebhookEvent = {
  id: string;
  object: 'event';
  type: string;
  timestamp: string;
  data: { id: string; round?: unknown; turn?: unknown };
};

/** One attempt: where to, signed with what, and which event. */
export type WebhookPost = { url: string; secrets: readonly string[]; event: WebhookEvent; signal?: AbortSignal };

/** What came of one attempt; `body` is the first 1 KiB of what came of the receiver's answer, null where none did. */
export type WebhookAnswer = Verdict & { statusCode: number | null; body: string | null; durationMs: number };

/**
 * Makes one attempt to deliver an event and judges it. Throws OutboundFailed only when we gave up ourselves
 * (`aborted`) before the receiver said anything: that is nobody's fault and no attempt.
 */
export async function postWebhook(gate: Gate, post: WebhookPost): Promise<WebhookAnswer> {
  const startedAt = performance.now();
  const answer = await send(gate, post);
  const durationMs = Math.round(performance.now() - startedAt);
  const body = answer.body === null ? null : cleanText(answer.body);
  return { ...judgeAnswer(answer), statusCode: answer.status, body, durationMs };
}

async function send(
  gate: Gate,
  { url, secrets, event, signal }: WebhookPost,
): Promise<OutboundAnswer | OutboundFailed> {
  const body = JSON.stringify(event);
  const signed = signWebhook({ secrets, id: event.id, timestampSeconds: Math.floor(Date.now() / 1000), body });
  const headers = { 'content-type': 'application/json', 'user-agent': 'Pawl', ...signed };
  const bounds = { timeoutMs: TIMEOUT_MS, maxBytes: MAX_ANSWER_BYTES, ...(signal && { signal }) };
  try {
    return await gate.send({ url, headers, body, ...bounds });
  } catch (error) {
    if (error instanceof OutboundFailed && (error.kind !== 'aborted' || error.status !== null)) return error;
    throw error;
  }
}
