import { z } from 'zod';
import { Json } from './request/json.ts';
import { TIER_CHANGES } from './tiers/change-tier.ts';
import type { TerminalStatus } from './turn.ts';

type Sender = 'API' | 'worker';

/** What an event says, which fields it has beside those of all events, and which parts of the service send it. */
type EventEntry = { description: string; fields: readonly string[]; sentBy: readonly Sender[] };

/**
 * The durable events: numbered, stored, and kept as long as their turn. Types, OpenAPI and `docs/watching.md` follow.
 * Fields that show a part of a turn are in `resource/event.ts`.
 */
export const durableEvents = {
  'turn.queued': { description: 'The turn was accepted.', fields: [], sentBy: ['API'] },
  'turn.started': { description: 'A worker took the turn for the first time.', fields: [], sentBy: ['worker'] },
  'input.added': {
    description: 'An input has joined the turn: it is sent with the next round.',
    fields: ['input', 'metadata'],
    sentBy: ['API'],
  },
  'round.completed': {
    description: 'A reply of the model was saved; nothing can lose it now.',
    fields: ['round', 'assistant_response', 'tool_calls', 'finish_reason', 'usage', 'attempts'],
    sentBy: ['worker'],
  },
  'tool_call.completed': {
    description: 'The answer to a call was saved.',
    fields: ['round', 'tool_call_id', 'name', 'result'],
    sentBy: ['worker', 'API'],
  },
  'context.compacted': {
    description: 'Before a round was asked, what is sent of the history became shorter.',
    fields: ['round', 'up_to_turn', 'up_to_round', 'before_tokens', 'after_tokens'],
    sentBy: ['worker'],
  },
  'step.retrying': {
    description: 'A step failed, or was asked to wait, and is tried again.',
    fields: ['round', 'phase', 'error', 'retry_in_ms'],
    sentBy: ['worker'],
  },
  'model.changed': {
    description: 'A model cannot answer: the round is begun anew by the next one of `fallback_models`.',
    fields: ['round', 'from', 'to', 'error'],
    sentBy: ['worker'],
  },
  'tier.changed': {
    description: 'The round is asked on another service tier from now on.',
    fields: ['round', 'from', 'to', 'because'],
    sentBy: ['worker'],
  },
  'turn.requires_action': {
    description: 'The turn waits for a client or a person.',
    fields: ['required_action'],
    sentBy: ['worker', 'API'],
  },
  'turn.resumed': {
    description: 'A turn that waited, or had failed, goes on.',
    fields: [],
    sentBy: ['API', 'worker'],
  },
  'turn.completed': { description: 'The turn has its answer.', fields: ['turn'], sentBy: ['worker'] },
  'turn.incomplete': {
    description: 'The turn ended before its answer was whole.',
    fields: ['turn'],
    sentBy: ['worker'],
  },
  'turn.failed': { description: 'The turn failed. A retry lets it go on.', fields: ['turn'], sentBy: ['worker'] },
  'turn.cancelled': { description: 'The turn was cancelled.', fields: ['turn'], sentBy: ['API'] },
} as const satisfies Record<string, EventEntry>;

/** The live events: streamed while they happen, and never stored. They are addressed, so that a client can place them. */
export const liveEvents = {
  'round.started': { description: 'The model is asked.', fields: ['round', 'attempt'], sentBy: ['worker'] },
  'output_text.delta': {
    description: 'More of the text of a reply.',
    fields: ['round', 'attempt', 'offset', 'delta'],
    sentBy: ['worker'],
  },
  'reasoning.delta': {
    description: 'More of what the model thinks.',
    fields: ['round', 'attempt', 'offset', 'delta'],
    sentBy: ['worker'],
  },
  'tool_call.arguments.delta': {
    description: 'More of the arguments of a call.',
    fields: ['round', 'attempt', 'index', 'delta'],
    sentBy: ['worker'],
  },
  'tool_call.started': {
    description: 'A call is made.',
    fields: ['round', 'tool_call_id', 'name', 'status_text'],
    sentBy: ['worker'],
  },
  'tool_call.progress': {
    description: 'A tool reports its progress.',
    fields: ['round', 'tool_call_id', 'value'],
    sentBy: ['worker'],
  },
} as const satisfies Record<string, EventEntry>;

export type EventType = keyof typeof durableEvents;
type TerminalEvent = `turn.${TerminalStatus}`;

/** The names of the fields that a durable event of this type has. */
export type EventField<Type extends EventType = EventType> = (typeof durableEvents)[Type]['fields'][number];

/** The names of the fields that a live event of this type has. */
export type LiveField<Type extends keyof typeof liveEvents = keyof typeof liveEvents> =
  (typeof liveEvents)[Type]['fields'][number];

/** The fields of events that show no part of a turn. */
export const eventFields = {
  round: z.int().meta({ description: 'The number of the round.', examples: [1] }),
  attempt: z.int().meta({
    description: 'Which try of the round it is, from 1; a new one replaces what an older one said.',
    examples: [1],
  }),
  offset: z.int().meta({
    description: 'Where the delta starts in the text of the round, in UTF-16 code units.',
    examples: [0],
  }),
  index: z.int().meta({ description: 'Which call of the reply it is, from 0.', examples: [0] }),
  delta: z.string().meta({ description: 'The text that is added.', examples: ['Let me look.'] }),
  name: z.string().meta({ description: 'The name of the tool.', examples: ['get_weather'] }),
  status_text: z
    .string()
    .nullable()
    .meta({
      description: 'What to show while it runs.',
      examples: ['Checking the weather…'],
    }),
  value: Json.meta({ description: 'What the tool reports.', examples: [{ stations_asked: 3 }] }) as z.ZodType<unknown>,
  up_to_turn: z.string().meta({
    description: 'The last turn that is replaced or shortened.',
    examples: ['turn_01kagz8m4pfvbte2n5q7rys3wx'],
  }),
  up_to_round: z.int().meta({ description: 'The last round of that turn.', examples: [3] }),
  before_tokens: z.int().meta({
    description: 'Tokens of the request as it would have been, by estimate.',
    examples: [8120],
  }),
  after_tokens: z.int().meta({ description: 'Tokens of the request as it is, by estimate.', examples: [2410] }),
  phase: z.enum(['llm_round', 'tool_batch']).meta({
    description: 'What is tried again: asking the model, or running its calls.',
    examples: ['llm_round'],
  }),
  from: z.string().meta({
    description: 'The model that cannot answer, or the tier that the round leaves.',
    examples: ['openai/gpt-4.1'],
  }),
  to: z
    .string()
    .meta({ description: 'The model that is asked now, or the tier.', examples: ['anthropic/claude-sonnet-4-5'] }),
  because: z.enum(TIER_CHANGES).meta({
    description:
      'Why the tier changes: the provider `refused` the round three times for lack of capacity, the `deadline` is near, or the round has `waited` for as long as it may.',
    examples: ['refused'],
  }),
  retry_in_ms: z.number().meta({ description: 'In how many milliseconds it is tried again.', examples: [1410] }),
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

/** A stored event. It points at its checkpoint (`round`, `callIndex`); `data` has only what no other row has. */
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
