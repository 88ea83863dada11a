import { z } from 'zod';
import { TurnId } from '../../schemas/fields/id.ts';
import { orNull } from '../../schemas/fields/or-null.ts';
import { Time } from '../../schemas/fields/time.ts';
import { Tokens } from './round.ts';

/** One compaction of the history; `presentTurn` makes it. */
export const Compaction = z
  .object({
    round: z.int().describe('The round before which it was made: from there on it is sent.'),
    strategy: z
      .enum(['summarize', 'drop_tool_results'])
      .describe('How older rounds were shortened. If no summary came, results are dropped for the rest of the turn.'),
    up_to_turn: TurnId.describe('The last turn that is replaced or shortened.'),
    up_to_round: z.int().describe('The last round of that turn.'),
    before_tokens: z.int().describe('Tokens of the request as it would have been, by estimate.'),
    after_tokens: z.int().describe('Tokens of the request as it was, by estimate.'),
    summary: z
      .string()
      .nullable()
      .describe(
        'What is sent instead. Null where nothing is: results were dropped, no summary came that was shorter, or something that it told of was deleted.',
      ),
    model: z.string().nullable().describe('The model that was asked for a summary; null if none was asked.'),
    usage: orNull(Tokens).describe(
      'What the summary used; null where the provider did not report it, or none was asked.',
    ),
    created_at: Time,
  })
  .meta({
    id: 'Compaction',
    description: 'What stands for older rounds in what is sent, from one round on.',
    examples: [
      {
        ...{ round: 7, strategy: 'summarize', up_to_turn: 'turn_01kagz8m4pfvbte2n5q7rys3wx', up_to_round: 2 },
        ...{
          before_tokens: 8120,
          after_tokens: 2410,
          summary: 'Ada plans a trip to Lisbon in May.',
          model: 'sim/demo',
        },
        usage: null,
        created_at: '2026-11-20T10:00:01.210Z',
      },
    ],
  });
