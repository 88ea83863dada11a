/** Every failure Pawl raises on purpose. `code` is a word of the contract; `message` tells the reader what to do. */
export class Failure extends Error {
  readonly code: string;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
    this.code = code;
  }
}

/**
 * What may be done about a failed model call.
 * `never`: the same request would fail again. `later`: try again with backoff, at the earliest after `afterMs`.
 * `parked`: the provider asks everybody to wait (429), which uses up no attempt.
 */
export type Retry = { kind: 'never' } | { kind: 'later'; afterMs?: number } | { kind: 'parked'; afterMs?: number };

/** What a provider said when a call failed; never holds a key, a header or a body. */
export type ProviderDetails = { status: number | null; code: string | null; request_id: string | null };

/** A model call that brought no reply. Classified once, in the provider's adapter (design: retries). */
export class ProviderFailed extends Failure {
  readonly retry: Retry;
  readonly provider: ProviderDetails;

  constructor(code: string, message: string, about: { retry: Retry; provider?: Partial<ProviderDetails> }) {
    super(code, message);
    this.retry = about.retry;
    this.provider = { status: null, code: null, request_id: null, ...about.provider };
  }
}

/** The caller asked for something that cannot be had, or not now (503); becomes the contract's envelope. */
export class RequestRefused extends Failure {
  readonly status: 400 | 401 | 403 | 404 | 405 | 408 | 409 | 413 | 415 | 417 | 429 | 431 | 503;
  readonly param: string | null;

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
