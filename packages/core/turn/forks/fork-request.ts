import { z } from 'zod';
import { StandingConfig, TurnRequest } from '../request/turn.ts';

const { input, metadata, priority } = TurnRequest.shape;

/** What replaces the configuration of the turn that is forked or run again. */
const overrides = { ...StandingConfig.omit({ expires_in_seconds: true }).shape, priority, metadata };

/** `POST /v1/turns/:id/fork`. */
export const ForkRequest = z
  .strictObject({
    ...overrides,
    after_round: z
      .int()
      .min(0)
      .nullish()
      .describe('The round that the fork goes on behind, 0 for before the first. By default the last answered one.'),
    input: input
      .nullish()
      .describe(
        'What the user says behind that round; before the first round, in place of the input of the turn. ' +
          'Without it the model is asked from there.',
      ),
  })
  .meta({
    id: 'ForkRequest',
    description: 'Where a fork goes on, and what differs from the configuration of the turn; `null` means the default.',
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
        '`reuse`, the default: a call that is equal to one of the turn gets the result of that, and an `at_most_once` call ' +
          'that is not is denied. `run`: all calls run.',
      ),
  })
  .meta({
    id: 'RerunRequest',
    description: 'What differs from the configuration of the turn that is run again; `null` means the default.',
    examples: [{ model: 'sim/other' }, { instructions: 'You are brief.', tool_results: 'run' }],
  });
export type RerunRequest = z.output<typeof RerunRequest>;
