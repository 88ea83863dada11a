import { Failure } from '../failure.ts';

/**
 * `blocked`: the guard or the request itself forbids it. `not-connected`: no connection came about.
 * `timeout`: the time was up. `cut`: the connection ended before the answer did. `aborted`: the caller gave up.
 */
export type OutboundFailureKind = 'blocked' | 'not-connected' | 'timeout' | 'cut' | 'aborted';

const CODES = {
  blocked: 'egress_blocked',
  'not-connected': 'network_error',
  timeout: 'execution_timeout',
  cut: 'network_error',
  aborted: 'cancelled',
} satisfies Record<OutboundFailureKind, string>;

/** A request that brought no whole answer. The message names the host at most, the cause is for the operator's log. */
export class OutboundFailed extends Failure {
  readonly kind: OutboundFailureKind;
  /** False only where it is certain that no byte of the request reached the other side. */
  readonly sent: boolean;
  /** The status, where the head of the answer had come. */
  readonly status: number | null;
  /** What had come of the answer's body, null where not even its head had. */
  readonly body: string | null;

  constructor(
    kind: OutboundFailureKind,
    message: string,
    about: { sent: boolean; status?: number | null; body?: string | null; cause?: unknown },
  ) {
    super(CODES[kind], message, { cause: about.cause });
    this.kind = kind;
    this.sent = about.sent;
    this.status = about.status ?? null;
    this.body = about.body ?? null;
  }
}
