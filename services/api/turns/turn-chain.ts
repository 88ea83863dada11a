import { createRoute, type RouteHandler, z } from '@hono/zod-openapi';
import { readChain } from '#core/checkpoint/turns/reading/chain.ts';
import { presentChain } from '#core/turn/resource/chain.ts';
import type { ApiContext } from '../context.ts';
import { findOwnTurn } from '../http/find-own.ts';
import { type ApiEnv, json, makeRouter } from '../http/router.ts';
import { refusals } from '../schemas/errors/refusals.ts';
import { TurnId } from '../schemas/fields/id.ts';
import { Chain } from './schemas/chain.ts';

const read = createRoute({
  method: 'get',
  path: '/v1/turns/{id}/chain',
  operationId: 'readChain',
  tags: ['Turns'],
  summary: 'Read what a turn stands on, and what stands on it',
  description: 'The turn before it, the next of its conversation, and the forks that other responses began from it.',
  request: { params: z.object({ id: TurnId }) },
  responses: { 200: { description: 'Its chain.', content: json(Chain) }, ...refusals('turn_not_found') },
});

/** `GET /v1/turns/:id/chain`. */
export function turnChainRoutes(context: ApiContext) {
  return makeRouter().openapi(read, readOne(context));
}

function readOne({ db }: ApiContext): RouteHandler<typeof read, ApiEnv> {
  return async (c) => {
    const turn = await findOwnTurn(db, c.get('project'), c.req.valid('param').id);
    return c.json(presentChain(await readChain(db, turn)), 200);
  };
}
