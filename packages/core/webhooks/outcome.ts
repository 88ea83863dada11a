import { EgressFailed } from '../egress/failure.ts';

/** The effect of an attempt on its delivery. `error` is a sentence for the reader of the delivery. */
export type DeliveryOutcome =
  | { kind: 'delivered' }
  | { kind: 'retry'; error: string }
  | { kind: 'stop'; error: string };

/** Classifies an attempt. A status counts once it has arrived, even if the receiver then stalls. */
export function classifyResponse(answer: { status: number } | EgressFailed): DeliveryOutcome {
  const { status } = answer;
  if (status !== null && status >= 200 && status < 300) return { kind: 'delivered' };
  if (status === 410) return { kind: 'stop', error: 'The receiver answered 410: it accepts no more events.' };
  if (answer instanceof EgressFailed) return { kind: 'retry', error: answer.message };
  if (status !== null && status >= 300 && status < 400) {
    return { kind: 'retry', error: `The receiver answered ${status}: redirects are not followed.` };
  }
  return { kind: 'retry', error: `The receiver answered ${status}.` };
}

const DISABLE_AFTER_MS = 5 * 24 * 3_600_000;

/** Returns the reason why an attempt disables its endpoint: a 410, or failures for 5 days, longer than any delivery. */
export function reasonToDisable(outcome: DeliveryOutcome, failingForMs: number | null): string | null {
  if (outcome.kind === 'delivered') return null;
  if (outcome.kind === 'stop') return outcome.error;
  if (failingForMs === null || failingForMs < DISABLE_AFTER_MS) return null;
  return `No delivery succeeded for 5 days. The last error: ${outcome.error}`;
}
