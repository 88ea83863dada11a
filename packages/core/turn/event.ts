import { z } from 'zod';
import type { HostedCall } from './hosted/hosted.ts';
import { Json } from './request/json.ts';
import { TIER_CHANGES } from './tiers/change-tier.ts';
import type { TerminalStatus } from './turn.ts';

type Sender = 'API' | 'worker';

/** Describes an event with its own fields and the parts of the service that send it. */
function event<const Fields extends readonly string[]>(
  description: string,
  fields: Fields,
  sentBy: readonly Sender[] = ['worker'],
) {
  return { description, fields, sentBy };
}

/**
 * The durable events: numbered, stored, and kept as long as their turn. Types, OpenAPI and `docs/watching.md` use
 * them. `resource/event.ts` has the fields that show a part of a turn.
 */
export const durableEvents = {
  'turn.queued': event('The turn was accepted.', [], ['API']),
  'turn.started': event('A worker took the turn for the first time.', []),
  'input.added': event(
    'The turn received another input. The next round sends it to the model.',
    ['input', 'metadata'],
    ['API'],
  ),
  'round.completed': event('A reply of the model was saved.', [
    'round',
    'assistant_response',
    'tool_calls',
    'finish_reason',
    'usage',
    'attempts',
  ]),
  'tool_call.completed': event(
    'The result of a call was saved.',
    ['round', 'tool_call_id', 'name', 'result'],
    ['worker', 'API'],
  ),
  'context.compacted': event('The history was shortened before a round.', [
    'round',
    'up_to_turn',
    'up_to_round',
    'before_tokens',
    'after_tokens',
  ]),
  'step.retrying': event('A step failed, or the provider asked to wait. The worker will try the step again.', [
    'round',
    'phase',
    'error',
    'retry_in_ms',
  ]),
  'model.changed': event('A model cannot answer. The round starts again with the next model of `fallback_models`.', [
    'round',
    'from',
    'to',
    'error',
  ]),
  'tier.changed': event('The round continues on another service tier.', ['round', 'from', 'to', 'because']),
  'turn.requires_action': event('The turn waits for a client or a person.', ['required_action'], ['worker', 'API']),
  'turn.resumed': event('A turn that waited, or had failed, continues.', [], ['API', 'worker']),
  'turn.completed': event('The turn ended with an answer.', ['turn']),
  'turn.incomplete': event('The turn ended before its answer was complete.', ['turn']),
  'turn.failed': event('The turn failed. A retry continues it.', ['turn']),
  'turn.cancelled': event('The turn was cancelled.', ['turn'], ['API']),
};

/** The live events, which are streamed and never stored. A client orders them by their numbers. */
export const liveEvents = {
  'round.started': event('The worker asks the model.', ['round', 'attempt']),
  'output_text.delta': event('The next piece of the text of a reply.', ['round', 'attempt', 'offset', 'delta']),
  'reasoning.delta': event('The next piece of the model’s reasoning.', ['round', 'attempt', 'offset', 'delta']),
  'tool_call.arguments.delta': event('The next piece of the arguments of a call.', [
    'round',
    'attempt',
    'index',
    'delta',
  ]),
  'hosted_call.started': event('The provider starts a call of its own tool.', ['round', 'attempt', 'hosted_call']),
  'hosted_call.completed': event('The provider has finished a call of its own tool.', [
    'round',
    'attempt',
    'hosted_call',
  ]),
  'tool_call.started': event('A call starts.', ['round', 'tool_call_id', 'name', 'status_text']),
  'tool_call.progress': event('A tool reports its progress.', ['round', 'tool_call_id', 'value']),
};

export type EventType = keyof typeof durableEvents;
type TerminalEvent = `turn.${TerminalStatus}`;

/** The names of the fields that a durable event of this type has. */
export type EventField<Type extends EventType = EventType> = (typeof durableEvents)[Type]['fields'][number];

/** The names of the fields that a live event of this type has. */
export type LiveField<Type extends keyof typeof liveEvents = keyof typeof liveEvents> =
  (typeof liveEvents)[Type]['fields'][number];

function field<Schema extends z.ZodType>(schema: Schema, description: string, example: unknown): Schema {
  return schema.meta({ description, examples: [example] });
}

/** The fields of events that show no part of a turn. */
export const eventFields = {
  round: field(z.int(), 'The number of the round.', 1),
  attempt: field(
    z.int(),
    'The attempt of the round, from 1. Deltas of a new attempt replace the deltas of the attempt before.',
    1,
  ),
  offset: field(z.int(), 'The position of the delta in the text of the round, in UTF-16 code units.', 0),
  index: field(z.int(), 'The position of the call in the reply, from 0.', 0),
  delta: field(z.string(), 'The added text.', 'Let me look.'),
  name: field(z.string(), 'The name of the tool.', 'get_weather'),
  status_text: field(z.string().nullable(), 'The text to show while the tool runs.', 'Checking the weather…'),
  value: field(Json as z.ZodType<unknown>, 'The progress that the tool reports.', { stations_asked: 3 }),
  up_to_turn: field(z.string(), 'The last turn that was replaced or shortened.', 'turn_01kagz8m4pfvbte2n5q7rys3wx'),
  up_to_round: field(z.int(), 'The last round of that turn.', 3),
  before_tokens: field(z.int(), 'Estimated tokens of the request before the history was shortened.', 8120),
  after_tokens: field(z.int(), 'Estimated tokens of the request after the history was shortened.', 2410),
  phase: field(
    z.enum(['llm_round', 'tool_batch']),
    'The step that is tried again: asking the model (`llm_round`), or running its calls (`tool_batch`).',
    'llm_round',
  ),
  from: field(z.string(), 'The model that cannot answer, or the old tier.', 'openai/gpt-4.1'),
  to: field(z.string(), 'The new model or the new tier.', 'anthropic/claude-sonnet-4-5'),
  because: field(
    z.enum(TIER_CHANGES),
    'Why the tier changes: the provider `refused` the round three times for lack of capacity, the `deadline` is near, or the round has `waited` for the maximum time.',
    'refused',
  ),
  retry_in_ms: field(z.number(), 'Milliseconds until the next attempt.', 1410),
};

/** The values of these fields. */
export type EventFieldValues = { [Name in keyof typeof eventFields]: z.infer<(typeof eventFields)[Name]> };

type LiveFields = EventFieldValues & { tool_call_id: string; hosted_call: HostedCall };

/**
 * Fields for processes only, absent until known, in UTF-16 code units. Reasoning after `reasoning_length` does not
 * belong to the round. Text from `refusal_from` on is a refusal. `hosted_index` is the number of events about hosted
 * calls before this event. `hosted_cut`: the event lacks a part of its call, which was too large.
 */
export type LiveDraft = {
  draft?: number;
  reasoning_length?: number;
  refusal_from?: number;
  hosted_index?: number;
  hosted_cut?: true;
};

type LiveEventWith<Draft> = {
  [Type in keyof typeof liveEvents]: { type: Type; turn_id: string } & Pick<LiveFields, LiveField<Type>> &
    ('attempt' extends LiveField<Type> ? Draft : unknown);
}[keyof typeof liveEvents];

/** A live event as processes send it to each other. */
export type LiveEvent = LiveEventWith<LiveDraft>;

/** A live event as callers see it. */
export type LiveEventResource = LiveEventWith<unknown>;

/** A stored event. `round` and `callIndex` refer to its checkpoint. `data` has only values that no other row has. */
export type StoredEvent = {
  id: string;
  number: number;
  type: EventType;
  round: number | null;
  callIndex: number | null;
  data: Record<string, unknown> | null;
  createdAt: string;
};

/** Returns whether an event ends its turn's stream. */
export function isTerminalEvent(type: EventType): type is TerminalEvent {
  return type === 'turn.completed' || type === 'turn.incomplete' || type === 'turn.failed' || type === 'turn.cancelled';
}
