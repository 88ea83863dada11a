import { z } from 'zod';
import { Json } from '#core/turn/json.ts';
import { TurnId } from './id.ts';
import { nameEvent } from './name-event.ts';
import { ToolResult } from './round.ts';

const { tool_call_id } = ToolResult.shape;
const round = z.int().describe('The number of the round.');
const name = z.string().describe('The name of the tool.');
const status_text = z.string().nullable().describe('What to show while it runs.');
const attempt = z.int().describe('Which try of the round it is, from 1; a new one replaces what an older one said.');
const offset = z.int().describe('Where the delta starts in the text of the round, in UTF-16 code units.');
const index = z.int().describe('Which call of the reply it is, from 0.');
const delta = z.string().describe('The next piece.');
const value = Json.describe('What the tool tells.');

const tried = { round: 1, attempt: 1 };
const called = { round: 1, tool_call_id: 'call_1' };

/** A live event: told while it happens, to who watches then, and never kept. */
export const LiveEvent = z
  .discriminatedUnion('type', [
    live('round.started', 'The model is asked.', { round, attempt }, tried),
    live(
      'output_text.delta',
      'More of the text of a reply.',
      { round, attempt, offset, delta },
      { ...tried, offset: 0, delta: 'Let me look.' },
    ),
    live(
      'reasoning.delta',
      'More of what the model thinks.',
      { round, attempt, offset, delta },
      { ...tried, offset: 0, delta: 'They want the weather.' },
    ),
    live(
      'tool_call.arguments.delta',
      'More of the arguments of a call.',
      { round, attempt, index, delta },
      { ...tried, index: 0, delta: '{"city":"Lis' },
    ),
    live(
      'tool_call.started',
      'A call is made.',
      { round, tool_call_id, name, status_text },
      { ...called, name: 'get_weather', status_text: 'Checking the weather…' },
    ),
    live(
      'tool_call.progress',
      'A tool tells how far it is.',
      { round, tool_call_id, value },
      { ...called, value: { stations_asked: 3 } },
    ),
  ])
  .meta({ id: 'LiveEvent', description: 'What is happening to a turn now: streamed only, without a number.' });

function live<Type extends string, Fields extends z.ZodRawShape>(
  type: Type,
  description: string,
  fields: Fields,
  example: Record<keyof Fields, unknown>,
) {
  const examples = [{ type, turn_id: 'turn_01kagz8m4pfvbte2n5q7rys3wx', ...example }];
  return z
    .object({ type: z.literal(type), turn_id: TurnId, ...fields })
    .meta({ id: nameEvent(type), description, examples });
}
