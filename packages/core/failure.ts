/** Every failure that Pawl raises on purpose. `code` is a word of the contract; `message` says what to do. */
export class Failure extends Error {
  readonly code: string;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
    this.code = code;
  }
}

/**
 * What may be done about a failed model call. `never`: the same request would fail again. `later`: try again with
 * backoff, at the earliest after `afterMs`. `rate-limited`: the provider asks all its clients to wait (429), which
 * uses up no attempt. `lacksCapacity`: it says that resources are unavailable, which on the tier `flex` is about this
 * request alone.
 */
export type Retry =
  | { kind: 'never' }
  | { kind: 'later'; afterMs?: number; most?: number }
  | { kind: 'rate-limited'; afterMs?: number; lacksCapacity?: true };

/** What a provider said when a call failed, without any key, header or body. */
export type ProviderDetails = { status: number | null; code: string | null; request_id: string | null };

/** A model call that brought no reply. Classified once, in the provider's adapter (design: retries). */
export class ProviderFailed extends Failure {
  readonly retry: Retry;
  readonly provider: ProviderDetails;

  constructor(code: string, message: string, details: { retry: Retry; provider?: Partial<ProviderDetails> }) {
    super(code, message);
    this.retry = details.retry;
    this.provider = { status: null, code: null, request_id: null, ...details.provider };
  }
}

/** A request that is refused, for good or for now (503); it becomes the contract's error envelope. */
export class RequestRefused extends Failure {
  readonly status: 400 | 401 | 403 | 404 | 405 | 408 | 409 | 413 | 415 | 417 | 426 | 429 | 431 | 503;
  readonly param: string | null;
  /** What its answer has in the head, besides what its status brings. */
  headers: Record<string, string> = {};

  constructor(status: RequestRefused['status'], code: string, message: string, param: string | null = null) {
    super(code, message);
    this.status = status;
    this.param = param;
  }
}

/** The service was started with settings it cannot work with; the message names the variable. */
export class Misconfigured extends Failure {
  constructor(message: string) {
    super('misconfigured', message);
  }
}
