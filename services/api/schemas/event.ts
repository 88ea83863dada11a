import { z } from 'zod';
import { exampleOf } from './example-of.ts';
import { EventId, TurnId } from './id.ts';
import { nameEvent } from './name-event.ts';
import { Round, ToolResult } from './round.ts';
import { Time } from './time.ts';
import { RequiredAction, Turn } from './turn.ts';
import { TurnError } from './turn-error.ts';

const { assistant_response, tool_calls, finish_reason, usage, attempts } = Round.shape;
const { tool_call_id } = ToolResult.shape;
const round = z.int().describe('The number of the round.');
const name = z.string().describe('The name of the tool.');
const phase = z
  .enum(['llm_round', 'tool_batch'])
  .describe('What is tried again: asking the model, or running its calls.');
const retry_in_ms = z.number().describe('In how many milliseconds it is tried again.');

const aRound = exampleOf(Round);
const aTurn = exampleOf(Turn);
const aFailure = { status: 'failed', output: null, error: exampleOf(TurnError) };

/** A durable event; `presentEvent` makes it. */
export const Event = z
  .discriminatedUnion('type', [
    durable('turn.queued', 'The turn was accepted.', {}, { sequence_number: 1 }),
    durable('turn.started', 'A worker took the turn for the first time.', {}, { sequence_number: 2 }),
    durable(
      'round.completed',
      'A reply of the model was saved; nothing can lose it now.',
      { round, assistant_response, tool_calls, finish_reason, usage, attempts },
      {
        ...{ round: 1, assistant_response: aRound.assistant_response, tool_calls: aRound.tool_calls },
        ...{ finish_reason: aRound.finish_reason, usage: aRound.usage, attempts: 1 },
      },
    ),
    durable(
      'tool_call.completed',
      'The answer to a call was saved.',
      { round, tool_call_id, name, result: ToolResult },
      { round: 1, tool_call_id: 'call_1', name: 'get_weather', result: exampleOf(ToolResult) },
    ),
    durable(
      'step.retrying',
      'A step failed, or was asked to wait, and is tried again.',
      { round, phase, error: TurnError, retry_in_ms },
      { round: 2, phase: 'llm_round', error: exampleOf(TurnError), retry_in_ms: 1410 },
    ),
    durable(
      'turn.requires_action',
      'The turn waits for somebody.',
      { required_action: RequiredAction },
      { required_action: exampleOf(RequiredAction) },
    ),
    durable('turn.resumed', 'A turn that waited, or had failed, goes on.', {}, {}),
    durable('turn.completed', 'The turn has its answer.', { turn: Turn }, { turn: aTurn }),
    durable(
      'turn.incomplete',
      'The turn ended before its answer was whole.',
      { turn: Turn },
      { turn: { ...aTurn, status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } } },
    ),
    durable(
      'turn.failed',
      'The turn failed. A retry lets it go on.',
      { turn: Turn },
      { turn: { ...aTurn, ...aFailure } },
    ),
    durable(
      'turn.cancelled',
      'The turn was cancelled.',
      { turn: Turn },
      { turn: { ...aTurn, status: 'cancelled', output: null } },
    ),
  ])
  .meta({
    id: 'Event',
    description: 'What happened to a turn: numbered from 1 without a gap, and kept as long as the turn.',
  });

function durable<Type extends string, Fields extends z.ZodRawShape>(
  type: Type,
  description: string,
  fields: Fields,
  example: object,
) {
  const head = { type: z.literal(type), turn_id: TurnId, id: EventId };
  const place = z.int().describe('Which event of its turn it is: 1, 2, 3 … without a gap.');
  const ids = { turn_id: 'turn_01kagz8m4pfvbte2n5q7rys3wx', id: 'evt_01kagz8m4pfvbte2n5q7rys3wx' };
  return z.object({ ...head, sequence_number: place, created_at: Time, ...fields }).meta({
    id: nameEvent(type),
    description,
    examples: [{ type, ...ids, sequence_number: 3, created_at: '2026-11-20T10:00:01.210Z', ...example }],
  });
}
