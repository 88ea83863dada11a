import { z } from 'zod';
import { TurnId } from '../../schemas/fields/id.ts';
import { orNull } from '../../schemas/fields/or-null.ts';
import { Time } from '../../schemas/fields/time.ts';
import { Tokens } from './round.ts';

/** A compaction of the history, made by `presentTurn`. */
export const Compaction = z
  .object({
    round: z
      .int()
      .describe(
        'The round before which the history was compacted. This round and later rounds use the compacted history.',
      ),
    strategy: z
      .enum(['summarize', 'drop_tool_results'])
      .describe(
        'How Pawl shortened older rounds. If the model wrote ' +
          'no summary, Pawl drops results for the rest of the turn.',
      ),
    up_to_turn: TurnId.describe('The last turn that is replaced or shortened.'),
    up_to_round: z.int().describe('The last round of that turn.'),
    before_tokens: z.int().describe('The estimated tokens of the request before compaction.'),
    after_tokens: z.int().describe('The estimated tokens of the request after compaction.'),
    summary: z
      .string()
      .nullable()
      .describe(
        'The summary that replaces older rounds. Null if results were dropped, if no shorter summary was ' +
          'written, or if the summary mentioned deleted content.',
      ),
    model: z.string().nullable().describe('The model that was asked for a summary. Null if Pawl asked no model.'),
    usage: orNull(Tokens).describe(
      'The usage of the summary. Null if the provider did not report it, or if Pawl asked no model.',
    ),
    created_at: Time,
  })
  .meta({
    id: 'Compaction',
    description: 'A compaction: the replacement for older rounds in requests from one round on.',
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
