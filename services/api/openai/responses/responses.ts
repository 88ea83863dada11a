import { type RouteHandler, z } from '@hono/zod-openapi';
import { hideTurn } from '#core/checkpoint/deletion/hide.ts';
import { cancelTurn } from '#core/checkpoint/turns/cancel.ts';
import { inputItems } from '#core/turn/responses/input-item.ts';
import { turnIdOf } from '#core/turn/responses/item-id.ts';
import { publishChanges } from '../../../process/publish-changes.ts';
import type { ApiContext } from '../../context.ts';
import { setPollAfter } from '../../http/poll-after.ts';
import { type ApiEnv, routesOf } from '../../http/router.ts';
import { ofAnyBody } from '../../schemas/errors/refusals.ts';
import { pollAfterHeader } from '../../schemas/fields/headers.ts';
import { queryInteger, queryNumber } from '../../schemas/fields/query-number.ts';
import { makeOpenaiRouter, serve } from '../openai-router.ts';
import { waitForEnd } from './creating/answer-ended.ts';
import { findOwnResponse, responseNotFound } from './find-response.ts';
import { itemPage, itemsAfter, pageQuery } from './item-page.ts';
import { presentFilled } from './present-filled.ts';
import { asksForState, includeQuery, queryFlag, withOutputs } from './schemas/include-query.ts';
import { DeletedResponse, InputItemList, ResponseId, ResponseObject } from './schemas/response-object.ts';
import { openaiAnswer, openaiHeaders, responseOrEvents, responseRefusals } from './schemas/response-refusals.ts';
import { streamResponse } from './stream-response.ts';

const params = z.object({ id: ResponseId });

const route = routesOf('Responses', responseRefusals);

const retrieve = route('get', '/responses/{id}', 'retrieveResponse', {
  summary: 'Retrieve a response, or stream it',
  description: 'A stored response can be streamed at any time, from its start or after a sequence number.',
  request: {
    params,
    query: z.object({
      ...includeQuery,
      wait: queryNumber({ min: 0, max: 60 })
        .default(0)
        .describe('The maximum time in seconds to wait until the response ends.'),
      stream: queryFlag.optional().describe('Whether to answer with a stream of events.'),
      starting_after: queryInteger({ min: 0, max: Number.MAX_SAFE_INTEGER })
        .optional()
        .describe('Only events with a higher sequence number.'),
      include_obfuscation: queryFlag.optional().describe('Accepted without effect: Pawl never adds obfuscation.'),
    }),
  },
  answers: {
    200: {
      description: 'The response as it is now. As a stream: its events.',
      headers: z.object({ ...openaiHeaders, ...pollAfterHeader }),
      content: responseOrEvents,
    },
  },
  refusals: [
    ...(['response_not_found', 'invalid_value', 'stream_superseded', 'cursor_beyond_end'] as const),
    'too_many_streams',
  ],
});

const listInput = route('get', '/responses/{id}/input_items', 'listInputItems', {
  summary: 'List the input items of a response',
  description: 'Items of `previous_response_id` are not repeated. List them with its id.',
  request: {
    params,
    query: z.object({ ...includeQuery, ...pageQuery('desc', 'The order, by position in the input.') }),
  },
  answers: { 200: openaiAnswer('A page of items.', InputItemList) },
  refusals: ['response_not_found', 'invalid_value'],
});

const cancel = route('post', '/responses/{id}/cancel', 'cancelResponse', {
  summary: 'Cancel a response at any step',
  description: 'An ended response does not change, and is returned as it is.',
  request: { params },
  answers: { 200: openaiAnswer('The response as it is now.', ResponseObject) },
  refusals: [...ofAnyBody, 'response_not_found'],
});

const remove = route('delete', '/responses/{id}', 'deleteResponse', {
  summary: 'Delete a response',
  description:
    'Deletes the response. If it is active, it is cancelled first. Responses that are based on it keep its history.',
  request: { params },
  answers: { 200: openaiAnswer('The response was deleted.', DeletedResponse) },
  refusals: ['quota_exceeded', 'response_not_found'],
});

/** Serves the routes of a response: `GET`, its input items, cancel and `DELETE`. */
export function responseRoutes(context: ApiContext) {
  return makeOpenaiRouter(undefined, [
    serve(retrieve, retrieveOne(context)),
    serve(listInput, listInputOf(context)),
    serve(cancel, cancelOne(context)),
    serve(remove, removeOne(context)),
  ]);
}

function retrieveOne(context: ApiContext): RouteHandler<typeof retrieve, ApiEnv> {
  const { db, streamHub } = context;
  return async (c) => {
    const query = c.req.valid('query');
    const { wait, stream, starting_after: after = null } = query;
    const { id } = c.req.valid('param');
    const project = c.get('project');
    const find = () => findOwnResponse(db, project, id);
    const found = await (stream ? streamHub.readOnce(`${project} ${id}`, find) : find());
    // A stream is not the one JSON answer that the types describe.
    if (stream) return (await streamResponse(c, context, { turn: found, after })) as never;
    await waitForEnd(c, context, found, wait);
    // The response may have been deleted while the request waited.
    const turn = wait > 0 ? await find() : found;
    setPollAfter(c, turn);
    return c.json(await presentFilled(context, withOutputs(turn, query), asksForState(query)), 200);
  };
}

function listInputOf({ db, stateSeals }: ApiContext): RouteHandler<typeof listInput, ApiEnv> {
  return async (c) => {
    const query = c.req.valid('query');
    const { order, limit, after } = query;
    const turn = await findOwnResponse(db, c.get('project'), c.req.valid('param').id);
    const items = inputItems(stateSeals.sealTurn(withOutputs(turn, query), asksForState(query)));
    return c.json(itemPage(itemsAfter(after, order === 'asc' ? items : items.reverse()), { limit }), 200);
  };
}

function cancelOne(context: ApiContext): RouteHandler<typeof cancel, ApiEnv> {
  return async (c) => {
    const [project, { id }] = [c.get('project'), c.req.valid('param')];
    const turn = await findOwnResponse(context.db, project, id);
    const cancelled = await context.db.transaction().execute((trx) => cancelTurn(trx, project, turn.id));
    if (!cancelled) throw responseNotFound();
    if (cancelled.status === 'cancelled') {
      await publishChanges(context, { wakeups: cancelled.wakeups, ended: cancelled.wasActive ? [turn.id] : [] });
    }
    const now = await findOwnResponse(context.db, project, id);
    return c.json(await presentFilled(context, now), 200);
  };
}

function removeOne(context: ApiContext): RouteHandler<typeof remove, ApiEnv> {
  return async (c) => {
    const [project, { id }] = [c.get('project'), c.req.valid('param')];
    const turnId = turnIdOf(id);
    const hidden = turnId && (await context.db.transaction().execute((trx) => hideTurn(trx, project, turnId)));
    if (!hidden) throw responseNotFound();
    await publishChanges(context, { wakeups: hidden.wakeups, ended: hidden.wasActive ? [turnId] : [] });
    return c.json({ id, object: 'response' as const, deleted: true as const }, 200);
  };
}
