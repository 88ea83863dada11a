import { z } from 'zod';
import { ConversationId, TurnId } from '../../schemas/fields/id.ts';
import { orNull } from '../../schemas/fields/or-null.ts';
import { Time } from '../../schemas/fields/time.ts';
import { ResponseIdOfTurn, TurnStatus } from './turn.ts';

const example = {
  ...{ id: 'turn_01kagz8m4pfvbte2n5q7rys3wx', conversation_id: 'conv_01kagz8m4pfvbte2n5q7rys3wx' },
  ...{ response_id: 'resp_01kagz8m4pfvbte2n5q7rys3wx', status: 'completed', preview: 'Say hello to Ada.' },
  created_at: '2026-11-20T10:00:00.082Z',
};

const ChainedTurn = z
  .object({
    id: TurnId,
    conversation_id: ConversationId,
    response_id: ResponseIdOfTurn,
    status: TurnStatus,
    preview: z.string().nullable().describe('The beginning of what its user said last; null where no user did.'),
    created_at: Time,
  })
  .meta({ id: 'ChainedTurn', description: 'A turn beside another.', examples: [example] });

/** What a turn stands on and what stands on it; `presentChain` makes it. */
export const Chain = z
  .object({
    object: z.literal('chain'),
    previous: orNull(ChainedTurn).describe(
      'The previous turn of its history, or the turn whose chat completion it continues. If that is in another ' +
        'conversation, its own is a fork, or its messages begin with those of the completion.',
    ),
    next: orNull(ChainedTurn).describe('The turn behind it in its conversation.'),
    forks: z.array(ChainedTurn).describe('The first turns of conversations that were forked from it, the newest 50.'),
    forks_count: z.int().describe('How many of these there are.'),
    continued_by: z.array(ChainedTurn).describe('The turns whose chat completions continue it, the newest 50.'),
  })
  .meta({
    id: 'Chain',
    description: 'What a turn stands on and what stands on it.',
    examples: [{ object: 'chain', previous: null, next: example, forks: [], forks_count: 0, continued_by: [] }],
  });
