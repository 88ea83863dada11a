import { OutboundFailed } from '../outbound/outbound-failed.ts';

/** What an attempt means for its delivery; `error` is a sentence for whoever looks at the delivery. */
export type Verdict = { kind: 'delivered' } | { kind: 'retry'; error: string } | { kind: 'stop'; error: string };

/**
 * Judges an attempt by the status, or by the failure where there is none. The status counts as soon as it is there:
 * a receiver that said 200 and then stalls or breaks off has the event.
 */
export function judgeAnswer(answer: { status: number } | OutboundFailed): Verdict {
  const { status } = answer;
  if (status !== null && status >= 200 && status < 300) return { kind: 'delivered' };
  if (status === 410) return { kind: 'stop', error: 'The receiver answered 410: it wants no more events.' };
  if (answer instanceof OutboundFailed) return { kind: 'retry', error: answer.message };
  if (status !== null && status >= 300 && status < 400) {
    return { kind: 'retry', error: `The receiver answered ${status}: redirects are not followed.` };
  }
  return { kind: 'retry', error: `The receiver answered ${status}.` };
}
