import { idempotencyKey } from './idempotency-key.ts';
import { iso, presentResult, presentRound } from './present-turn.ts';
import type { Round, ToolCall, Turn } from './turn.ts';

/** A turn's rounds as the ledger tells them: each result with what its call may do, who allowed it, and when it ran. */
export function presentLedger({ id, rounds, work }: Turn) {
  return rounds.map((round) => presentEntry(id, round, work.held));
}

function presentEntry(turnId: string, round: Round, held: boolean) {
  const results = round.calls.map((call) => ({ ...presentResult(call, held), ...auditOf(turnId, call) }));
  return { ...presentRound(round, held), results };
}

function auditOf(turnId: string, call: ToolCall) {
  return {
    effect: call.effect,
    idempotency_key: idempotencyKey(turnId, call),
    waits_for: call.waitsFor,
    expires_at: iso(call.expiresAt),
    approval: call.approval,
    claimed_at: iso(call.claimedAt),
    started_at: startedAt(call),
    completed_at: iso(call.completedAt),
  };
}

/**
 * A call that ran began as long before its end as it took; one whose end was not seen began about when it was claimed, and one
 * that was answered without being made never.
 */
function startedAt({ claimedAt, completedAt, result }: ToolCall): string | null {
  if (completedAt === null || result === null) return iso(claimedAt);
  if (result.attempts === 0) return null;
  if (claimedAt !== null && result.duration_ms === 0) return iso(claimedAt);
  return new Date(Date.parse(completedAt) - result.duration_ms).toISOString();
}
