import { sql } from 'kysely';
import type { Violation } from '../../../turn/output/violation.ts';
import type { Reply } from '../../../turn/reply.ts';
import { rawJson } from '../statement.ts';
import type { NewCall } from './new-calls.ts';
import { usedBy } from './record-rounds.ts';

/**
 * A reply before it is saved. If the reply ends the turn, its text is the turn's output and is not stored twice. A
 * reply with calls keeps its text, even if the calls are handed over.
 */
export type LastRound = {
  number: number;
  model: string;
  reply: Reply;
  attempts: number;
  /** The number of joined inputs that its run had loaded, and so has sent (R29). Default: 0. */
  inputsSent?: number;
  draft?: number | null;
  startedAt: number;
  /** `basedOnOf` the rounds that the model was sent. Without it, any rounds are accepted. */
  basedOn?: number | null;
  calls?: NewCall[];
  /**
   * The violations of an answer that fails the turn. Its text is then stored here too, since a retry continues from
   * it.
   */
  violations?: Violation[];
};

export function columnsOfRound({
  number,
  model,
  reply,
  attempts,
  inputsSent = 0,
  draft = null,
  startedAt,
  basedOn = null,
  calls = [],
  violations,
}: LastRound) {
  const { finishReason, finishReasonRaw, usage, opaque, requests = 1 } = reply;
  const columns = {
    finishReason,
    finishReasonRaw,
    usage,
    used: usedBy(usage, calls.length),
    opaque: rawJson(opaque),
    requests,
  };
  const hosted = reply.hosted ?? null;
  const pieces = {
    hosted,
    reasoning: reply.reasoning ?? null,
    refusalFrom: reply.refusalFrom ?? null,
    ownDraft: draft,
  };
  const serviceTier = reply.serviceTier ?? null;
  const called = calls.length > 0 ? { text: reply.text, calls } : {};
  const invalid = violations ? { text: reply.text, violations } : {};
  return {
    roundNumber: number,
    model,
    ...columns,
    serviceTier,
    ...pieces,
    ...called,
    ...invalid,
    attempts,
    inputsSent,
    startedAt: startedAt / 1000,
    basedOn,
  };
}

export const insertRound = sql`
      insert into rounds (turn_id, number, model, text, reasoning, refusal_from, hosted, service_tier, violations, draft, finish_reason,
        finish_reason_raw, usage, opaque, requests, attempts, inputs_sent, started_at)
      select id, "roundNumber", model, text, reasoning, "refusalFrom", hosted, "serviceTier", violations, draft, "finishReason", "finishReasonRaw",
        usage, opaque::json, requests, attempts, "inputsSent", to_timestamp("startedAt")
      from target`;
