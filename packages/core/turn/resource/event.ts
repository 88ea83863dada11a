import { callsOf } from '../call.ts';
import {
  type EventField,
  type EventFieldValues,
  type EventType,
  isTerminalEvent,
  type LiveEvent,
  type LiveEventResource,
  type StoredEvent,
} from '../event.ts';
import { placeJoined } from '../inputs/joined-input.ts';
import { hasInvalidOutput, isInvalidEnding } from '../output/output-schema.ts';
import type { Turn, TurnError } from '../turn.ts';
import { presentInput } from './input.ts';
import { iso } from './iso.ts';
import {
  presentAction,
  presentRequested,
  presentResult,
  presentRound,
  presentTurn,
  presentUsage,
  type TurnResource,
} from './turn.ts';

type Round = TurnResource['rounds'][number];

/** The types of the fields of durable events: fields that show a part of a turn, and the others. */
type EventFields = Pick<Round, 'assistant_response' | 'tool_calls' | 'finish_reason' | 'usage' | 'attempts'> & {
  tool_call_id: string;
  result: Round['results'][number];
  error: TurnError;
  input: ReturnType<typeof presentInput>;
  metadata: Record<string, string>;
  required_action: ReturnType<typeof presentAction>;
  turn: TurnResource;
} & EventFieldValues;

type EventHead<Type> = { type: Type; turn_id: string; id: string; sequence_number: number; created_at: string };

/** A durable event as callers see it. */
export type EventResource = {
  [Type in EventType]: EventHead<Type> & Pick<EventFields, EventField<Type>>;
}[EventType];

/** The state of a failed turn, stored with `turn.failed`, so that the event stays the same after a retry. */
type FailedEnding = {
  rounds: number;
  error: TurnError;
  completed_at: string;
  failed_requests?: number;
  inputs?: number;
};

/** Returns a durable event as callers see it, the same in JSON and SSE. */
export function presentEvent(turn: Turn, event: StoredEvent): EventResource {
  const head = {
    type: event.type,
    turn_id: turn.id,
    id: event.id,
    sequence_number: event.number,
    created_at: iso(event.createdAt),
  };
  // From the database: the rows that an event refers to, and its `data`, were committed with it and have its type.
  return { ...head, ...fieldsOf(turn, event) } as EventResource;
}

/** Returns a live event as callers see it, without fields for other formats. */
export function presentLiveEvent(event: LiveEvent): LiveEventResource {
  if (!('attempt' in event)) return event;
  const { draft: _draft, reasoning_length: _length, refusal_from: _from, ...others } = event;
  const { hosted_index: _index, hosted_cut: _cut, ...shown } = others;
  return shown;
}

function fieldsOf(turn: Turn, event: StoredEvent): Record<string, unknown> {
  if (event.type === 'round.completed') return roundFields(turn, event.round);
  if (event.type === 'tool_call.completed') return resultFields(turn, event);
  if (event.type === 'input.added') return joinedFields(turn, event);
  if (event.type === 'turn.requires_action') return { required_action: actionFields(turn, event) };
  if (isTerminalEvent(event.type)) return { turn: presentTurn(turnAsItEnded(turn, event)) };
  return event.data ?? {};
}

/** Returns the input that joined with this event. It is empty if the turn was loaded before the event. */
function joinedFields({ joined }: Turn, { data }: StoredEvent) {
  const { number } = data as { number: number };
  const added = joined[number - 1];
  return { input: presentInput(added?.content ?? []), metadata: added?.metadata ?? {} };
}

function roundFields(turn: Turn, number: number | null) {
  const round = turn.rounds.find((candidate) => candidate.number === number);
  if (!round) return { round: number };
  return {
    round: round.number,
    assistant_response: isInvalidEnding(turn.rounds, round) ? null : round.text,
    tool_calls: round.calls.map(presentRequested),
    finish_reason: round.finishReason,
    usage: presentUsage(round.usage),
    attempts: round.attempts,
  };
}

/** Returns the calls that waited when the event was appended, by their positions in the batch. */
function actionFields(turn: Turn, { round: number, data }: StoredEvent) {
  const { outputs, approvals } = data as { outputs: number[]; approvals: number[] };
  const those = (indexes: number[]) => callsOf(turn, number).filter((call) => indexes.includes(call.index));
  return presentAction({ outputs: those(outputs), approvals: those(approvals) });
}

function resultFields(turn: Turn, { round: number, callIndex }: StoredEvent) {
  const call = callsOf(turn, number).find((candidate) => candidate.index === callIndex);
  if (!call) return { round: number };
  return { round: number, tool_call_id: call.id, name: call.name, result: presentResult(call, false) };
}

/** Returns a round as it was committed, with results only for handed-over calls. So a late webhook is the same. */
export function presentFreshRound(turn: Turn, number: number | null) {
  const round = turn.rounds.find((candidate) => candidate.number === number);
  if (!round) return undefined;
  const calls = round.calls.map((call) => ({
    ...call,
    result: call.result?.status === 'handed_over' ? call.result : null,
    claimedBy: null,
    approval: null,
  }));
  return presentRound({ ...round, calls, text: isInvalidEnding(turn.rounds, round) ? null : round.text }, false);
}

/** Returns the turn as it was when it ended, without later rounds of a retried turn. */
export function turnAsItEnded(turn: Turn, event: { number: number; type: string; data: StoredEvent['data'] }): Turn {
  if (event.type !== 'turn.failed') return { ...turn, lastEvent: event.number };
  const { rounds, error, completed_at, failed_requests, inputs } = event.data as FailedEnding;
  const joined = turn.joined.slice(0, inputs);
  const { rounds: before, pendingInput } = placeJoined({ ...turn, joined, rounds: turn.rounds.slice(0, rounds) });
  return {
    ...turn,
    status: 'failed',
    ...{ rounds: before, joined, pendingInput },
    compactions: turn.compactions.filter(({ createdAt }) => Date.parse(createdAt) <= Date.parse(completed_at)),
    failedRequests: failed_requests ?? 0,
    output: hasInvalidOutput({ error }) ? (before.at(-1)?.text ?? null) : null,
    error,
    incompleteReason: null,
    completedAt: completed_at,
    lastEvent: event.number,
  };
}
