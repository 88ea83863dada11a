import { createRoute, type RouteHandler, z } from '@hono/zod-openapi';
import { inputItems } from '#core/turn/responses/input-item.ts';
import { presentResponse } from '#core/turn/responses/present.ts';
import { isTerminal } from '#core/turn/turn.ts';
import type { ApiContext } from '../../context.ts';
import { setPollAfter } from '../../http/poll-after.ts';
import { RESPONSE_BASES, type ResponseBase } from '../../http/response-base.ts';
import { type ApiEnv, json, makeRouter } from '../../http/router.ts';
import { pollAfterHeader } from '../../schemas/fields/headers.ts';
import { queryInteger, queryNumber } from '../../schemas/fields/query-number.ts';
import { findOwnResponse } from './find-response.ts';
import { itemPage, itemsAfter } from './item-page.ts';
import { asksForState, includeQuery, queryFlag } from './schemas/include-query.ts';
import { operationAt } from './schemas/operation-at.ts';
import { InputItemList, ResponseId } from './schemas/response-object.ts';
import { openaiHeaders, responseOrEvents, responseRefusals } from './schemas/response-refusals.ts';
import { streamResponse } from './stream-response.ts';

const params = z.object({ id: ResponseId });

const retrieveAt = (base: ResponseBase) =>
  createRoute({
    method: 'get',
    path: `${base}/responses/{id}`,
    ...operationAt(base, 'retrieveResponse', 'Retrieve a response, or stream it'),
    description: 'Any stored response can be streamed at any time, from its start or behind a number.',
    request: {
      params,
      query: z.object({
        ...includeQuery,
        wait: queryNumber({ min: 0, max: 60 }).default(0).describe('Seconds to wait at most for the response to end.'),
        stream: queryFlag.optional().describe('Whether to answer with its events.'),
        starting_after: queryInteger({ min: 0, max: Number.MAX_SAFE_INTEGER })
          .optional()
          .describe('Only events with a higher sequence number.'),
        include_obfuscation: queryFlag.optional().describe('Accepted; none is ever added.'),
      }),
    },
    responses: {
      200: {
        description: 'The response as it is now; as a stream: its events.',
        headers: z.object({ ...openaiHeaders, ...pollAfterHeader }),
        content: responseOrEvents,
      },
      ...responseRefusals(
        'response_not_found',
        'invalid_value',
        'stream_superseded',
        'cursor_beyond_end',
        'too_many_streams',
      ),
    },
  });

const listInputAt = (base: ResponseBase) =>
  createRoute({
    method: 'get',
    path: `${base}/responses/{id}/input_items`,
    ...operationAt(base, 'listInputItems', 'List what a response was created with'),
    description: 'What comes by `previous_response_id` is not repeated: it is found there.',
    request: {
      params,
      query: z.object({
        ...includeQuery,
        order: z.enum(['asc', 'desc']).default('desc').describe('By place in the input.'),
        limit: queryInteger({ min: 1, max: 100 }).default(20).describe('The size of a page.'),
        after: z.string().optional().describe('The `last_id` of the page before.'),
      }),
    },
    responses: {
      200: { description: 'A page of items.', headers: z.object(openaiHeaders), content: json(InputItemList) },
      ...responseRefusals('response_not_found', 'invalid_value'),
    },
  });

/** `GET` of a response and of its input items, under both bases. */
export function responseRoutes(context: ApiContext) {
  const router = makeRouter();
  for (const base of RESPONSE_BASES) {
    router.openapi(retrieveAt(base), retrieve(context)).openapi(listInputAt(base), listInput(context));
  }
  return router;
}

function retrieve(context: ApiContext): RouteHandler<ReturnType<typeof retrieveAt>, ApiEnv> {
  const { db, streamHub, streamLimiter, stateSeals } = context;
  return async (c) => {
    const query = c.req.valid('query');
    const { wait, stream, starting_after: after = null } = query;
    const { id } = c.req.valid('param');
    const project = c.get('project');
    const find = () => findOwnResponse(db, project, id);
    const found = await (stream ? streamHub.readOnce(`${project} ${id}`, find) : find());
    // A stream is not the one answer that the types know of.
    if (stream) return (await streamResponse(c, context, { turn: found, after })) as never;
    if (wait > 0 && !isTerminal(found.status)) {
      const release = streamLimiter.acquire({ project, keyId: c.get('keyId') });
      const timing = { timeoutMs: wait * 1000, untilSettled: true, project, signal: c.req.raw.signal };
      await streamHub.waitFor(found.id, ({ status }) => isTerminal(status), timing).finally(release);
    }
    // It may have been deleted meanwhile.
    const turn = wait > 0 ? await find() : found;
    setPollAfter(c, turn);
    return c.json(presentResponse(stateSeals.sealRounds(turn, asksForState(query))), 200);
  };
}

function listInput({ db, stateSeals }: ApiContext): RouteHandler<ReturnType<typeof listInputAt>, ApiEnv> {
  return async (c) => {
    const query = c.req.valid('query');
    const { order, limit, after } = query;
    const turn = await findOwnResponse(db, c.get('project'), c.req.valid('param').id);
    const items = inputItems(stateSeals.sealTurn(turn, asksForState(query)));
    return c.json(itemPage(itemsAfter(after, order === 'asc' ? items : items.reverse()), { limit }), 200);
  };
}
