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
    preview: z.string().nullable().describe('The beginning of what its user said last; null where no user did.'),
    created_at: Time,
  })
  .meta({ id: 'ChainedTurn', description: 'A turn beside another.', examples: [example] });

/** What a turn stands on and what stands on it; `presentChain` makes it. */
const Chain = z
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

const route = routesOf('Turns');

const read = route('get', '/v1/turns/{id}/chain', 'readChain', {
  summary: 'Read what a turn stands on, and what stands on it',
  description: 'The turn before it, the next of its conversation, and the forks that other responses began from it.',
  request: { params: z.object({ id: TurnId }) },
  answers: { 200: jsonAnswer('Its chain.', Chain) },
  refusals: ['turn_not_found'],
});

/** `GET /v1/turns/:id/chain`. */
export function turnChainRoutes({ db }: ApiContext) {
  return makeRouter().openapi(read, async (c) => {
    const turn = await findOwnTurn(db, c.get('project'), c.req.valid('param').id);
    return c.json(presentChain(await readChain(db, turn)), 200);
  });
}
