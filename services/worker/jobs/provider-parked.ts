import { ProviderFailed } from '#core/failure.ts';

/** Rounds that waited for the same moment do not all ask in it. */
const SPREAD_MS = 500;

/** A provider that was not asked, since it had asked everybody to wait. It says nothing new, and makes nobody wait longer. */
export class ProviderParked extends ProviderFailed {
  readonly pauseMs: number;

  constructor(provider: string, waitMs: number) {
    const pauseMs = Math.ceil(waitMs + Math.random() * SPREAD_MS);
    const message = `${provider} asked for a pause; this round waits for its end.`;
    super('provider_rate_limited', message, { retry: { kind: 'parked', afterMs: pauseMs } });
    this.pauseMs = pauseMs;
  }
}
