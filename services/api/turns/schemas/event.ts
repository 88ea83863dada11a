import { z } from 'zod';
import {
  durableEvents,
  type EventField,
  type EventType,
  eventFields,
  type LiveEvent as LiveEventType,
  type LiveField,
  liveEvents,
} from '#core/turn/event.ts';
import { exampleOf } from '../../schemas/fields/example-of.ts';
import { EventId, TurnId } from '../../schemas/fields/id.ts';
import { Time } from '../../schemas/fields/time.ts';
import { HostedCall } from './hosted.ts';
import { Round, ToolResult } from './round.ts';
import { RequiredAction, Turn } from './turn.ts';
import { TurnError } from './turn-error.ts';

type FieldName = EventField | LiveField;

const { assistant_response, tool_calls, finish_reason, usage, attempts } = Round.shape;
const { input, metadata } = Turn.shape;

/** The schema of each field of an event. The list of events names the fields of each event. */
const fields = {
  ...eventFields,
  ...{ assistant_response, tool_calls, finish_reason, usage, attempts },
  tool_call_id: ToolResult.shape.tool_call_id,
  result: ToolResult,
  hosted_call: HostedCall,
  error: TurnError,
  required_action: RequiredAction,
  ...{ input, metadata },
  turn: Turn,
} satisfies Record<FieldName, z.ZodType>;

const turn = exampleOf(Turn);
const round = exampleOf(Round);

/** Examples of events that differ from the examples of their fields, or that need their own. */
const ownExamples: { [Type in EventType | LiveEventType['type']]?: object } = {
  'turn.queued': { sequence_number: 1 },
  'turn.started': { sequence_number: 2 },
  'round.completed': pick(round, ['assistant_response', 'tool_calls', 'finish_reason', 'usage', 'attempts']),
  'input.added': { input: [{ role: 'user', content: 'And in Porto?' }], metadata: { order: '18' } },
  'turn.incomplete': {
    turn: { ...turn, status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } },
  },
  'turn.failed': { turn: { ...turn, status: 'failed', output: null, error: exampleOf(TurnError) } },
  'turn.cancelled': { turn: { ...turn, status: 'cancelled', output: null } },
  'reasoning.delta': { delta: 'They want the weather.' },
  'hosted_call.started': { hosted_call: { ...exampleOf(HostedCall), status: 'in_progress' } },
  'tool_call.arguments.delta': { delta: '{"city":"Lis' },
};

const durableHead = {
  turn_id: TurnId,
  id: EventId,
  sequence_number: z.int().describe('The number of the event in its turn: 1, 2, 3 … without gaps.'),
  created_at: Time,
};
const liveExample = { turn_id: 'turn_01kagz8m4pfvbte2n5q7rys3wx' };
const durableExample = {
  ...{ ...liveExample, id: 'evt_01kagz8m4pfvbte2n5q7rys3wx' },
  ...{ sequence_number: 3, created_at: '2026-11-20T10:00:01.210Z' },
};

/** A durable event, made by `presentEvent`. */
export const Event = z.discriminatedUnion('type', schemasOf(durableEvents, durableHead, durableExample)).meta({
  id: 'Event',
  description: 'An event of a turn. Events are numbered from 1 without gaps, and kept as long as the turn.',
});

/** A live event is sent while it happens, to clients that watch at that time. It has no number and is not stored. */
const liveSchemas = schemasOf(liveEvents, { turn_id: TurnId }, liveExample);

/** An event of a stream. It lists its members flat, because generators refuse a discriminator inside another. */
export const StreamedEvent = z.discriminatedUnion('type', [...Event.options, ...liveSchemas]).meta({
  id: 'StreamedEvent',
  description:
    'An event in a stream: the `data` of one message. Live events have no `sequence_number` and ' +
    'exist only in streams.',
});

type Listed = Record<string, { description: string; fields: readonly FieldName[] }>;
type OneOrMore<Item> = [Item, ...Item[]];

function schemasOf<Head extends z.ZodRawShape>(events: Listed, head: Head, example: object) {
  const schemas = Object.entries(events).map(([type, { description, fields: names }]) => {
    const own = ownExamples[type as keyof typeof ownExamples];
    const examples = [{ type, ...example, ...examplesOf(names), ...own }];
    return z
      .object({ type: z.literal(type), ...head, ...pick<z.ZodType>(fields, names) })
      .meta({ id: nameEvent(type), description, examples });
  });
  // Both lists have elements.
  return schemas as OneOrMore<(typeof schemas)[number]>;
}

function examplesOf(names: readonly FieldName[]): object {
  const first = (name: FieldName) => ((fields[name].meta()?.examples ?? []) as unknown[])[0];
  return Object.fromEntries(names.map((name) => [name, first(name)]));
}

function pick<Value>(all: Record<string, Value>, names: readonly string[]): Record<string, Value> {
  return Object.fromEntries(Object.entries(all).filter(([name]) => names.includes(name)));
}

/** Returns the name of the schema for a type of event: `round.completed` is a RoundCompletedEvent. */
function nameEvent(type: string): string {
  return `${type.replaceAll(/(?:^|[._])([a-z])/g, (_, letter: string) => letter.toUpperCase())}Event`;
}
