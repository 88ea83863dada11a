import { idempotencyKey } from '../call.ts';
import type { Approval, Round, ToolCall, Turn } from '../turn.ts';
import { fitResults } from './cut-results.ts';
import { iso } from './iso.ts';
import { presentAdopted, presentResult, presentRound } from './turn.ts';

/**
 * Returns the rounds and adopted calls of a turn for the ledger. Each result has its call's effect, approval and
 * times.
 */
export function presentLedger(turn: Turn) {
  const { id, rounds, adopted, work } = turn;
  const { adopted_calls: shown } = presentAdopted(turn);
  return fitResults({
    rounds: rounds.map((round) => presentEntry(id, round, work.leased)),
    ...(shown && { adopted_calls: { ...shown, results: resultsOf(id, adopted, work.leased) } }),
  });
}

function presentEntry(turnId: string, round: Round, isLeased: boolean) {
  return { ...presentRound(round, isLeased), results: resultsOf(turnId, round.calls, isLeased) };
}

function resultsOf(turnId: string, calls: ToolCall[], isLeased: boolean) {
  return calls.map((call) => ({ ...presentResult(call, isLeased), ...auditOf(turnId, call) }));
}

function auditOf(turnId: string, call: ToolCall) {
  return {
    effect: call.effect,
    idempotency_key: idempotencyKey(turnId, call),
    waits_for: call.waitsFor,
    expires_at: iso(call.expiresAt),
    approval: presentApproval(call.approval),
    claimed_at: iso(call.claimedAt),
    started_at: startedAt(call),
    completed_at: iso(call.completedAt),
  };
}

/** Returns a decision without the allowed arguments, which are part of the call. */
function presentApproval(approval: Approval | null) {
  if (!approval) return null;
  const { decision, reason, by, at } = approval;
  return { decision, reason, by, at };
}

/** Returns the start of a call: its end minus its duration, or its claim. Null for a call that never ran. */
function startedAt({ claimedAt, completedAt, result }: ToolCall): string | null {
  if (completedAt === null || result === null) return iso(claimedAt);
  if (result.attempts === 0) return null;
  if (claimedAt !== null && result.duration_ms === 0) return iso(claimedAt);
  return new Date(Date.parse(completedAt) - result.duration_ms).toISOString();
}
