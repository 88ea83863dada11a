import { z } from 'zod';
import { StandingConfig, TurnRequest } from '../request/turn.ts';

const { input, metadata, priority } = TurnRequest.shape;

/** The fields that replace the configuration of the forked or rerun turn. */
const overrides = { ...StandingConfig.omit({ expires_in_seconds: true }).shape, priority, metadata };

/** `POST /v1/turns/:id/fork`. */
export const ForkRequest = z
  .strictObject({
    ...overrides,
    after_round: z
      .int()
      .min(0)
      .nullish()
      .describe('The last round that the fork keeps. 0 keeps no round. By default the last answered round.'),
    input: input
      .nullish()
      .describe(
        'The input after that round. With `after_round: 0` it replaces the input of the turn. Without an input the model continues from there.',
      ),
  })
  .meta({
    id: 'ForkRequest',
    description: 'The round to fork from, and changes to the configuration of the turn. `null` means the default.',
    examples: [{ after_round: 1 }, { input: 'And in Porto?', model: 'sim/other' }],
  });
export type ForkRequest = z.output<typeof ForkRequest>;

/** `POST /v1/turns/:id/rerun`. */
export const RerunRequest = z
  .strictObject({
    ...overrides,
    tool_results: z
      .enum(['reuse', 'run'])
      .nullish()
      .describe(
        '`reuse` (default): a call that equals a call of the turn gets its recorded result, and other `at_most_once` calls are denied. `run`: all calls run.',
      ),
  })
  .meta({
    id: 'RerunRequest',
    description: 'Changes to the configuration of the turn for the rerun. `null` means the default.',
    examples: [{ model: 'sim/other' }, { instructions: 'You are brief.', tool_results: 'run' }],
  });
export type RerunRequest = z.output<typeof RerunRequest>;
