import { jsonObject } from './json-value.ts';
import { isWaiting } from './next-step.ts';
import { isTerminal, type ListedTurn, type Round, type ToolCall, type Turn, type WaitsFor } from './turn.ts';
import { sumUsage } from './usage.ts';
import { type Waiting, waitingOf } from './waiting.ts';

export type TurnResource = ReturnType<typeof presentTurn>;
export type ListedTurnResource = ReturnType<typeof presentListed>;

/** The turn as callers see it (contract: Turn). */
export function presentTurn(turn: Turn) {
  const callCount = turn.rounds.reduce((sum, round) => sum + round.calls.length, 0);
  return {
    ...beginningOf(turn),
    rounds: turn.rounds.map((round) => presentRound(round, turn.work.held)),
    ...restOf({ ...turn, callCount }),
  };
}

/** The turn as lists show it: the number of its rounds in their place. */
export function presentListed(turn: ListedTurn) {
  return { ...beginningOf(turn), rounds_count: turn.rounds.length, ...restOf(turn) };
}

function beginningOf(turn: Omit<ListedTurn, 'callCount'>) {
  return {
    id: turn.id,
    object: 'turn' as const,
    conversation_id: turn.conversationId,
    status: turn.status,
    input: turn.input,
    model: turn.config.model,
    round: turn.startedAt === null ? 0 : Number(turn.work.step.slice(1)),
    phase: phaseOf(turn),
    last_event: turn.lastEvent,
    output: turn.output,
  };
}

function restOf(turn: ListedTurn) {
  return {
    required_action: requiredAction(turn),
    waiting: presentWaiting(turn),
    incomplete_details: turn.incompleteReason === null ? null : { reason: turn.incompleteReason },
    error: turn.error,
    usage: usageOf(turn),
    warnings: turn.warnings,
    metadata: turn.metadata,
    created_at: iso(turn.createdAt),
    started_at: iso(turn.startedAt),
    completed_at: iso(turn.completedAt),
  };
}

/** Why a turn does not run; the API adds the `note`, where the service itself keeps it from running. */
type WaitingResource = Waiting & { note?: string };

/** Why no step of a turn is at work. */
function presentWaiting(turn: ListedTurn): WaitingResource | null {
  const waiting = waitingOf(turn);
  if (waiting === null) return null;
  const { since, until } = waiting;
  return { for: waiting.for, since: iso(since), ...(until !== undefined && { until: iso(until) }) };
}

/** What a turn waits for: calls whose output a client owes, calls that somebody has to allow. Null for nothing. */
function requiredAction({ status, rounds }: ListedTurn) {
  const waiting = isTerminal(status) ? [] : (rounds.at(-1)?.calls.filter(isWaiting) ?? []);
  if (waiting.length === 0) return null;
  const by = (whom: WaitsFor) => waiting.filter((call) => call.waitsFor === whom);
  return presentAction({ outputs: by('output'), approvals: by('approval') });
}

/** Calls that wait, by whom they wait for; `expires_at` is when the first of them is given up. */
export function presentAction({ outputs, approvals }: { outputs: ToolCall[]; approvals: ToolCall[] }) {
  const expiries = [...outputs, ...approvals].flatMap(({ expiresAt }) => (expiresAt === null ? [] : [iso(expiresAt)]));
  return {
    tool_outputs: outputs.map(presentCall),
    approvals: approvals.map(presentCall),
    expires_at: expiries.sort()[0] ?? null,
  };
}

/** One committed round with its calls and what is known of their results. */
export function presentRound(round: Round, held: boolean) {
  return {
    number: round.number,
    assistant_response: round.text,
    finish_reason: round.finishReason,
    finish_reason_raw: round.finishReasonRaw,
    usage: round.usage,
    tool_calls: round.calls.map(presentCall),
    results: round.calls.map((call) => presentResult(call, held)),
    started_at: iso(round.startedAt),
    completed_at: iso(round.completedAt),
    attempts: round.attempts,
  };
}

/** A call as the model asked for it; its arguments parsed, or the raw text where that is no JSON object. */
export function presentCall(call: ToolCall) {
  return { id: call.id, name: call.name, arguments: parsedArguments(call.arguments) };
}

/** What is known of a call's answer; `held` tells whether a worker is on its batch now. */
export function presentResult(call: ToolCall, held: boolean) {
  if (call.result) {
    const { partial: _, ...result } = call.result;
    return { tool_call_id: call.id, ...result };
  }
  const status = call.claimedBy !== null || held ? ('running' as const) : ('pending' as const);
  const unknown = { content: null, error: null, truncated: false, cached: false, duration_ms: null, attempts: 0 };
  return { tool_call_id: call.id, status, ...unknown };
}

/** RFC 3339 in UTC with milliseconds. */
export function iso<T extends string | null>(time: T): T {
  return (time === null ? null : new Date(time).toISOString()) as T;
}

function phaseOf({ status, work }: Pick<Turn, 'status' | 'work'>): 'llm_round' | 'tool_batch' | null {
  if (isTerminal(status) || status === 'queued') return null;
  return work.step.startsWith('b') ? 'tool_batch' : 'llm_round';
}

function usageOf({ rounds, callCount, failedRequests }: ListedTurn) {
  const requests = rounds.reduce((sum, round) => sum + round.requests, failedRequests);
  return { ...sumUsage(rounds.map((round) => round.usage)), llm_calls: requests, tool_calls: callCount };
}

function parsedArguments(text: string): Record<string, unknown> | string {
  return jsonObject(text || '{}') ?? text;
}
