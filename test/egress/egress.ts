import { expect } from 'vitest';
import { EgressFailed } from '#core/egress/failure.ts';
import { type Egress, type Lookup, openEgress } from '#core/egress/open.ts';
import { parseEgressAllow } from '#core/egress/policy.ts';
import type { EgressRequest } from '#core/egress/send.ts';

/** Opens an egress that allows these entries and closes with its test. `lookup` replaces the DNS. */
export function egressTo(allowed: string, lookup?: Lookup): Egress & AsyncDisposable {
  const egress = openEgress(parseEgressAllow(allowed), lookup ? { lookup } : {});
  return { ...egress, [Symbol.asyncDispose]: () => egress.close() };
}

/** Returns a request with generous bounds. */
export function requestTo(url: string, more: Partial<EgressRequest> = {}): EgressRequest {
  return { url, headers: {}, body: '{}', timeoutMs: 5_000, maxBytes: 1_000, ...more };
}

export async function failureOf(answer: Promise<unknown>): Promise<EgressFailed> {
  const failure = await answer.then(
    () => null,
    (error: unknown) => error,
  );
  expect(failure).toBeInstanceOf(EgressFailed);
  return failure as EgressFailed;
}
