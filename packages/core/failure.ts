/** A failure that Pawl raises deliberately. `code` is public, and `message` gives the next action. */
export class Failure extends Error {
  readonly code: string;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
    this.code = code;
  }
}

/**
 * The possible retry of a failed model call.
 * - `never`: the same request would fail again.
 * - `later`: try again with backoff, at the earliest after `afterMs`.
 * - `rate-limited`: the provider asks all its clients to wait (429), which uses no attempt. `lacksCapacity` means
 *   that the provider reports unavailable resources. On the tier `flex` this concerns only this request.
 */
export type Retry =
  | { kind: 'never' }
  | { kind: 'later'; afterMs?: number; most?: number }
  | { kind: 'rate-limited'; afterMs?: number; lacksCapacity?: true };

/** The details that a provider gave for a failed call, without any key, header or body. */
export type ProviderDetails = { status: number | null; code: string | null; request_id: string | null };

/** A model call without a reply. The adapter of the provider classifies it once. */
export class ProviderFailed extends Failure {
  readonly retry: Retry;
  readonly provider: ProviderDetails;

  constructor(code: string, message: string, details: { retry: Retry; provider?: Partial<ProviderDetails> }) {
    super(code, message);
    this.retry = details.retry;
    this.provider = { status: null, code: null, request_id: null, ...details.provider };
  }
}

/** A refused request, permanently or for now (503). It becomes the error envelope of the API. */
export class RequestRefused extends Failure {
  readonly status: 400 | 401 | 403 | 404 | 405 | 408 | 409 | 413 | 415 | 417 | 426 | 429 | 431 | 503;
  readonly param: string | null;
  /** The headers of its answer, besides the headers that its status brings. */
  headers: Record<string, string> = {};

  constructor(status: RequestRefused['status'], code: string, message: string, param: string | null = null) {
    super(code, message);
    this.status = status;
    this.param = param;
  }
}

/** Settings that the service cannot work with. The message names the variable. */
export class Misconfigured extends Failure {
  constructor(message: string) {
    super('misconfigured', message);
  }
}
