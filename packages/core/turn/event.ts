import { z } from 'zod';
import { Json } from './request/json.ts';
import { TIER_CHANGES } from './tiers/change-tier.ts';
import type { TerminalStatus } from './turn.ts';

type Sender = 'API' | 'worker';

/** Describes an event, with its fields beside those of all events, and the parts of the service that send it. */
function event<const Fields extends readonly string[]>(
  description: string,
  fields: Fields,
  sentBy: readonly Sender[] = ['worker'],
) {
  return { description, fields, sentBy };
}

/**
 * The durable events: numbered, stored, and kept as long as their turn. Types, OpenAPI and `docs/watching.md` follow.
 * Fields that show a part of a turn are in `resource/event.ts`.
 */
export const durableEvents = {
  'turn.queued': event('The turn was accepted.', [], ['API']),
  'turn.started': event('A worker took the turn for the first time.', []),
  'input.added': event('An input has joined the turn: it is sent with the next round.', ['input', 'metadata'], ['API']),
  'round.completed': event('A reply of the model was saved; nothing can lose it now.', [
    'round',
    'assistant_response',
    'tool_calls',
    'finish_reason',
    'usage',
    'attempts',
  ]),
  'tool_call.completed': event(
    'The answer to a call was saved.',
    ['round', 'tool_call_id', 'name', 'result'],
    ['worker', 'API'],
  ),
  'context.compacted': event('Before a round was asked, what is sent of the history became shorter.', [
    'round',
    'up_to_turn',
    'up_to_round',
    'before_tokens',
    'after_tokens',
  ]),
  'step.retrying': event('A step failed, or was asked to wait, and is tried again.', [
    'round',
    'phase',
    'error',
    'retry_in_ms',
  ]),
  'model.changed': event('A model cannot answer: the round is begun anew by the next one of `fallback_models`.', [
    'round',
    'from',
    'to',
    'error',
  ]),
  'tier.changed': event('The round is asked on another service tier from now on.', ['round', 'from', 'to', 'because']),
  'turn.requires_action': event('The turn waits for a client or a person.', ['required_action'], ['worker', 'API']),
  'turn.resumed': event('A turn that waited, or had failed, goes on.', [], ['API', 'worker']),
  'turn.completed': event('The turn has its answer.', ['turn']),
  'turn.incomplete': event('The turn ended before its answer was whole.', ['turn']),
  'turn.failed': event('The turn failed. A retry lets it go on.', ['turn']),
  'turn.cancelled': event('The turn was cancelled.', ['turn'], ['API']),
};

/** The live events: streamed while they happen, and never stored. They are addressed, so that a client can place them. */
export const liveEvents = {
  'round.started': event('The model is asked.', ['round', 'attempt']),
  'output_text.delta': event('More of the text of a reply.', ['round', 'attempt', 'offset', 'delta']),
  'reasoning.delta': event('More of what the model thinks.', ['round', 'attempt', 'offset', 'delta']),
  'tool_call.arguments.delta': event('More of the arguments of a call.', ['round', 'attempt', 'index', 'delta']),
  'tool_call.started': event('A call is made.', ['round', 'tool_call_id', 'name', 'status_text']),
  'tool_call.progress': event('A tool reports its progress.', ['round', 'tool_call_id', 'value']),
};

export type EventType = keyof typeof durableEvents;
type TerminalEvent = `turn.${TerminalStatus}`;

/** The names of the fields that a durable event of this type has. */
export type EventField<Type extends EventType = EventType> = (typeof durableEvents)[Type]['fields'][number];

/** The names of the fields that a live event of this type has. */
export type LiveField<Type extends keyof typeof liveEvents = keyof typeof liveEvents> =
  (typeof liveEvents)[Type]['fields'][number];

/** Describes a field of events, with an example. */
function field<Schema extends z.ZodType>(schema: Schema, description: string, example: unknown): Schema {
  return schema.meta({ description, examples: [example] });
}

/** The fields of events that show no part of a turn. */
export const eventFields = {
  round: field(z.int(), 'The number of the round.', 1),
  attempt: field(z.int(), 'Which try of the round it is, from 1; a new one replaces what an older one said.', 1),
  offset: field(z.int(), 'Where the delta starts in the text of the round, in UTF-16 code units.', 0),
  index: field(z.int(), 'Which call of the reply it is, from 0.', 0),
  delta: field(z.string(), 'The text that is added.', 'Let me look.'),
  name: field(z.string(), 'The name of the tool.', 'get_weather'),
  status_text: field(z.string().nullable(), 'What to show while it runs.', 'Checking the weather…'),
  value: field(Json as z.ZodType<unknown>, 'What the tool reports.', { stations_asked: 3 }),
  up_to_turn: field(z.string(), 'The last turn that is replaced or shortened.', 'turn_01kagz8m4pfvbte2n5q7rys3wx'),
  up_to_round: field(z.int(), 'The last round of that turn.', 3),
  before_tokens: field(z.int(), 'Tokens of the request as it would have been, by estimate.', 8120),
  after_tokens: field(z.int(), 'Tokens of the request as it is, by estimate.', 2410),
  phase: field(
    z.enum(['llm_round', 'tool_batch']),
    'What is tried again: asking the model, or running its calls.',
    'llm_round',
  ),
  from: field(z.string(), 'The model that cannot answer, or the tier that the round leaves.', 'openai/gpt-4.1'),
  to: field(z.string(), 'The model that is asked now, or the tier.', 'anthropic/claude-sonnet-4-5'),
  because: field(
    z.enum(TIER_CHANGES),
    'Why the tier changes: the provider `refused` the round three times for lack of capacity, the `deadline` is near, or the round has `waited` for as long as it may.',
    'refused',
  ),
  retry_in_ms: field(z.number(), 'In how many milliseconds it is tried again.', 1410),
};

/** The values of these fields. */
export type EventFieldValues = { [Name in keyof typeof eventFields]: z.infer<(typeof eventFields)[Name]> };

type LiveFields = EventFieldValues & { tool_call_id: string };

/**
 * Fields for processes alone, absent until known, in UTF-16 code units: thoughts after `reasoning_length` are no part
 * of the round, text from `refusal_from` on is a refusal (contract-responses R42, R45).
 */
export type LiveEdition = { edition?: number; reasoning_length?: number; refusal_from?: number };

type LiveEventWith<Edition> = {
  [Type in keyof typeof liveEvents]: { type: Type; turn_id: string } & Pick<LiveFields, LiveField<Type>> &
    ('attempt' extends LiveField<Type> ? Edition : unknown);
}[keyof typeof liveEvents];

/** A live event as processes send it to each other. */
export type LiveEvent = LiveEventWith<LiveEdition>;

/** A live event as callers see it. */
export type LiveEventResource = LiveEventWith<unknown>;

/** A stored event. It points at its checkpoint (`round`, `callIndex`); `data` has only values that no other row has. */
export type StoredEvent = {
  id: string;
  number: number;
  type: EventType;
  round: number | null;
  callIndex: number | null;
  data: Record<string, unknown> | null;
  createdAt: string;
};

/** Whether an event ends its turn's stream. */
export function isTerminalEvent(type: EventType): type is TerminalEvent {
  return type === 'turn.completed' || type === 'turn.incomplete' || type === 'turn.failed' || type === 'turn.cancelled';
}
