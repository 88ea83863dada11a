import { Failure } from '../failure.ts';

/**
 * - `blocked`: the policy forbids the request, or the request cannot be sent.
 * - `not-connected`: no connection was made.
 * - `timeout`: the time was up.
 * - `cut`: the connection ended before the answer did.
 * - `aborted`: the caller aborted the request, or Pawl shut down.
 */
export type EgressFailureKind = 'blocked' | 'not-connected' | 'timeout' | 'cut' | 'aborted';

const CODES = {
  blocked: 'egress_blocked',
  'not-connected': 'network_error',
  timeout: 'execution_timeout',
  cut: 'network_error',
  aborted: 'cancelled',
} satisfies Record<EgressFailureKind, string>;

/** A request without a complete answer. The message contains the host at most. The cause is for the operator's log. */
export class EgressFailed extends Failure {
  readonly kind: EgressFailureKind;
  /** False only if no byte of the request can have left. */
  readonly sent: boolean;
  /** The status, if the head of the answer arrived. */
  readonly status: number | null;
  /** The part of the answer's body that arrived, or null if its head did not arrive. */
  readonly body: string | null;
  readonly retryAfterMs: number | undefined;

  constructor(
    kind: EgressFailureKind,
    message: string,
    about: {
      sent: boolean;
      status?: number | null;
      body?: string | null;
      retryAfterMs?: number | undefined;
      cause?: unknown;
    },
  ) {
    super(CODES[kind], message, { cause: about.cause });
    this.kind = kind;
    this.sent = about.sent;
    this.status = about.status ?? null;
    this.body = about.body ?? null;
    this.retryAfterMs = about.retryAfterMs;
  }
}
