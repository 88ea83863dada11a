import { z } from '@hono/zod-openapi';
import { readChain } from '#core/checkpoint/turns/reading/chain.ts';
import { presentChain } from '#core/turn/resource/chain.ts';
import type { ApiContext } from '../context.ts';
import { findOwnTurn } from '../http/find-own.ts';
import { jsonAnswer, makeRouter, routesOf } from '../http/router.ts';
import { ConversationId, TurnId } from '../schemas/fields/id.ts';
import { orNull } from '../schemas/fields/or-null.ts';
import { Time } from '../schemas/fields/time.ts';
import { ResponseIdOfTurn, TurnStatus } from './schemas/turn.ts';

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
    preview: z
      .string()
      .nullable()
      .describe('The beginning of the last user message. Null if the turn has no user message.'),
    created_at: Time,
  })
  .meta({ id: 'ChainedTurn', description: 'A turn in the chain of another turn.', examples: [example] });

/** The base of a turn, and the turns that are based on it, made by `presentChain`. */
const Chain = z
  .object({
    object: z.literal('chain'),
    previous: orNull(ChainedTurn).describe(
      'The previous turn in the history, or the turn whose chat completion this turn continues. It may ' +
        'be in another conversation. Then the turn is the first turn of a fork, or its messages begin ' +
        'with those of the completion.',
    ),
    next: orNull(ChainedTurn).describe('The next turn in the same conversation.'),
    forks: z
      .array(ChainedTurn)
      .describe('The first turns of conversations that were forked from this turn. At most the newest 50.'),
    forks_count: z.int().describe('The number of these forks.'),
    continued_by: z
      .array(ChainedTurn)
      .describe('The turns whose chat completions continue this turn. At most the newest 50.'),
  })
  .meta({
    id: 'Chain',
    description: 'The turn that a turn is based on, and the turns that are based on it.',
    examples: [{ object: 'chain', previous: null, next: example, forks: [], forks_count: 0, continued_by: [] }],
  });

const route = routesOf('Turns');

const read = route('get', '/v1/turns/{id}/chain', 'readChain', {
  summary: 'Read the turns before and after a turn',
  description:
    'Returns the turn before, the next turn of the conversation, the forks of the turn, and the completions that ' +
    'continue it.',
  request: { params: z.object({ id: TurnId }) },
  answers: { 200: jsonAnswer('The chain of the turn.', Chain) },
  refusals: ['turn_not_found'],
});

/** Serves `GET /v1/turns/:id/chain`. */
export function turnChainRoutes({ db }: ApiContext) {
  return makeRouter().openapi(read, async (c) => {
    const turn = await findOwnTurn(db, c.get('project'), c.req.valid('param').id);
    return c.json(presentChain(await readChain(db, turn)), 200);
  });
}
