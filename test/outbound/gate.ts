import { expect } from 'vitest';
import { parseEgressAllow } from '#core/outbound/egress-policy.ts';
import type { Lookup } from '#core/outbound/guarded-connector.ts';
import { type Gate, type OutboundRequest, openGate } from '#core/outbound/open-gate.ts';
import { OutboundFailed } from '#core/outbound/outbound-failed.ts';

/** A gate that allows these entries and closes with its test; `lookup` plays the DNS. */
export function gateTo(allowed: string, lookup?: Lookup): Gate & AsyncDisposable {
  const gate = openGate(parseEgressAllow(allowed), lookup ? { lookup } : {});
  return { ...gate, [Symbol.asyncDispose]: () => gate.close() };
}

/** A request with generous bounds. */
export function requestTo(url: string, more: Partial<OutboundRequest> = {}): OutboundRequest {
  return { url, headers: {}, body: '{}', timeoutMs: 5_000, maxBytes: 1_000, ...more };
}

/** The failure that an answer turned out to be. */
export async function failureOf(answer: Promise<unknown>): Promise<OutboundFailed> {
  const failure = await answer.then(
    () => null,
    (error: unknown) => error,
  );
  expect(failure).toBeInstanceOf(OutboundFailed);
  return failure as OutboundFailed;
}
