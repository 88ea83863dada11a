import { isTerminalEvent, type StoredEvent } from './event.ts';
import { iso, presentAction, presentCall, presentResult, presentTurn } from './present-turn.ts';
import type { Turn, TurnError } from './turn.ts';

/** How a failed turn stood; kept with `turn.failed`, so that the event tells the same after a retry. */
export type FailedEnding = { rounds: number; error: TurnError; completed_at: string };

/** A durable event as callers see it, the same in JSON and SSE (contract: Events). */
export function presentEvent(turn: Turn, event: StoredEvent) {
  return {
    type: event.type,
    turn_id: turn.id,
    id: event.id,
    sequence_number: event.number,
    created_at: iso(event.createdAt),
    ...fieldsOf(turn, event),
  };
}

function fieldsOf(turn: Turn, event: StoredEvent): Record<string, unknown> {
  if (event.type === 'round.completed') return roundFields(turn, event.round);
  if (event.type === 'tool_call.completed') return resultFields(turn, event);
  if (event.type === 'turn.requires_action') return { required_action: actionFields(turn, event) };
  if (isTerminalEvent(event.type)) return { turn: presentTurn(turnAsItEnded(turn, event)) };
  return event.data ?? {};
}

function roundFields(turn: Turn, number: number | null) {
  const round = turn.rounds.find((candidate) => candidate.number === number);
  if (!round) return { round: number };
  return {
    round: round.number,
    assistant_response: round.text,
    tool_calls: round.calls.map(presentCall),
    finish_reason: round.finishReason,
    usage: round.usage,
    attempts: round.attempts,
  };
}

/** Which calls waited when the turn parked; kept by their place in the batch, whatever became of them since. */
function actionFields(turn: Turn, { round: number, data }: StoredEvent) {
  const { outputs, approvals } = data as { outputs: number[]; approvals: number[] };
  const calls = turn.rounds.find((candidate) => candidate.number === number)?.calls ?? [];
  const those = (indexes: number[]) => calls.filter((call) => indexes.includes(call.index));
  return presentAction({ outputs: those(outputs), approvals: those(approvals) });
}

function resultFields(turn: Turn, { round: number, callIndex }: StoredEvent) {
  const round = turn.rounds.find((candidate) => candidate.number === number);
  const call = round?.calls.find((candidate) => candidate.index === callIndex);
  if (!call) return { round: number };
  return { round: number, tool_call_id: call.id, name: call.name, result: presentResult(call, false) };
}

/** The turn as it stood when it ended: later rounds of a retried turn are left out. */
export function turnAsItEnded(turn: Turn, event: Pick<StoredEvent, 'number' | 'type' | 'data'>): Turn {
  if (event.type !== 'turn.failed') return { ...turn, lastEvent: event.number };
  const { rounds, error, completed_at } = event.data as FailedEnding;
  return {
    ...turn,
    status: 'failed',
    rounds: turn.rounds.slice(0, rounds),
    output: null,
    error,
    incompleteReason: null,
    completedAt: completed_at,
    lastEvent: event.number,
  };
}
