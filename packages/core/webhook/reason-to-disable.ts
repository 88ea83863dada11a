import type { Verdict } from './judge-answer.ts';

const PATIENCE_MS = 5 * 24 * 3_600_000;

/**
 * Why an endpoint is to be given up after an attempt, in a sentence; null where it is not. It said that it wants no more,
 * or has failed for 5 days without one success: longer than any single delivery is tried.
 */
export function reasonToDisable(verdict: Verdict, failingForMs: number | null): string | null {
  if (verdict.kind === 'delivered') return null;
  if (verdict.kind === 'stop') return verdict.error;
  if (failingForMs === null || failingForMs < PATIENCE_MS) return null;
  return `Nothing came through for 5 days. In the end: ${verdict.error}`;
}
