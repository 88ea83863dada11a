import { type RouteHandler, z } from '@hono/zod-openapi';
import { isListed, listCompletions, setTurnMetadata } from '#core/checkpoint/completions.ts';
import { hideTurn } from '#core/checkpoint/deletion/hide.ts';
import { turnIdOfCompletion } from '#core/turn/completions/completion-id.ts';
import { storedMessages } from '#core/turn/completions/stored-messages.ts';
import { publishChanges } from '../../../process/publish-changes.ts';
import type { ApiContext } from '../../context.ts';
import { setPollAfter } from '../../http/poll-after.ts';
import { type ApiEnv, json, routesOf } from '../../http/router.ts';
import { ofAnyBody } from '../../schemas/errors/refusals.ts';
import { pollAfterHeader } from '../../schemas/fields/headers.ts';
import { MetadataQuery, readMetadata } from '../../schemas/fields/metadata-query.ts';
import { queryNumber } from '../../schemas/fields/query-number.ts';
import { makeOpenaiRouter, serve } from '../openai-router.ts';
import { answerFailed, waitForEnd } from '../responses/creating/answer-ended.ts';
import { itemPage, itemsAfter, notInList, pageQuery } from '../responses/item-page.ts';
import { explainCompletionIssues } from '../responses/request/explain-issues.ts';
import { MetadataBody } from '../responses/schemas/conversation-object.ts';
import { createRefusals, openaiAnswer, responseRefusals } from '../responses/schemas/response-refusals.ts';
import {
  CompletionId,
  CompletionList,
  CompletionObject,
  DeletedCompletion,
  MessageList,
} from './schemas/completion-object.ts';
import {
  completionNotFound,
  findOwnCompletion,
  presentListed,
  showCompletion,
  storeAnswers,
} from './show-completion.ts';

const params = z.object({ id: CompletionId });
const page = pageQuery('asc', 'By time.');

const route = routesOf('Chat Completions', responseRefusals);
const createdRoute = routesOf('Chat Completions', createRefusals);

const retrieve = createdRoute('get', '/chat/completions/{id}', 'retrieveCompletion', {
  summary: 'Retrieve a chat completion',
  description: 'Before its end a completion has no `finish_reason`. For a failed completion, the answer is its error.',
  request: {
    params,
    query: z.object({
      wait: queryNumber({ min: 0, max: 60 })
        .default(0)
        .describe('The maximum time in seconds to wait until the completion ends.'),
    }),
  },
  answers: {
    200: openaiAnswer('The completion as it is now.', CompletionObject, pollAfterHeader),
  },
  refusals: ['completion_not_found', 'invalid_value', 'too_many_streams'],
});

const list = route('get', '/chat/completions', 'listCompletions', {
  summary: 'List the chat completions that were created with store: true',
  request: {
    query: z.object({
      ...page,
      model: z.string().max(512).optional().describe('Only completions of this model.'),
      metadata: MetadataQuery,
    }),
  },
  answers: { 200: openaiAnswer('A page of completions.', CompletionList) },
  refusals: ['invalid_value'],
});

const listMessages = route('get', '/chat/completions/{id}/messages', 'listCompletionMessages', {
  summary: 'List the messages of the request of a completion',
  request: { params, query: z.object(page) },
  answers: { 200: openaiAnswer('A page of messages.', MessageList) },
  refusals: ['completion_not_found', 'invalid_value'],
});

const update = route('post', '/chat/completions/{id}', 'updateCompletion', {
  summary: 'Replace the metadata of a chat completion',
  request: { params, body: { required: true, content: json(MetadataBody) } },
  answers: { 200: openaiAnswer('The completion as it is now.', CompletionObject) },
  refusals: [...ofAnyBody, 'unknown_parameter', 'missing_required_parameter', 'completion_not_found'],
});

const remove = route('delete', '/chat/completions/{id}', 'deleteCompletion', {
  summary: 'Delete a chat completion',
  description:
    'Deletes the completion. If it is active, it is cancelled first. Later completions that are based on it keep its history.',
  request: { params },
  answers: { 200: openaiAnswer('The completion was deleted.', DeletedCompletion) },
  refusals: ['quota_exceeded', 'completion_not_found'],
});

/** Serves the routes of chat completions, except their creation. */
export function completionRoutes(context: ApiContext) {
  return makeOpenaiRouter(explainCompletionIssues, [
    serve(retrieve, retrieveOne(context)),
    serve(list, listSome(context)),
    serve(listMessages, listMessagesOf(context)),
    serve(update, updateOne(context)),
    serve(remove, removeOne(context)),
  ]);
}

function retrieveOne(context: ApiContext): RouteHandler<typeof retrieve, ApiEnv> {
  return async (c) => {
    const { wait } = c.req.valid('query');
    const { id } = c.req.valid('param');
    const find = () => findOwnCompletion(context.db, c.get('project'), id);
    const found = await find();
    await waitForEnd(c, context, found, wait);
    // The completion may have been deleted while the request waited.
    const turn = wait > 0 ? await find() : found;
    setPollAfter(c, turn);
    if (!turn.error) return c.json(await showCompletion(context, turn), 200);
    // A failure is an HTTP error, because a completion has no field for an error.
    c.header('pawl-response-id', id);
    return answerFailed(c, turn.error) as never;
  };
}

function listSome(context: ApiContext): RouteHandler<typeof list, ApiEnv> {
  return async (c) => {
    const { order, limit, after, model } = c.req.valid('query');
    const { db } = context;
    const project = c.get('project');
    const turnId = after === undefined ? undefined : turnIdOfCompletion(after);
    if (after !== undefined && !(turnId && (await isListed(db, project, turnId)))) throw notInList();
    const metadata = readMetadata(c.req.queries());
    const { rows, hasMore } = await listCompletions(db, project, {
      ...{ order, limit, ...metadata },
      ...(turnId && { after: turnId }),
      ...(model && { model }),
    });
    await storeAnswers(context, rows);
    return c.json(itemPage(rows.map(presentListed), { limit, hasMore }), 200);
  };
}

function listMessagesOf({ db }: ApiContext): RouteHandler<typeof listMessages, ApiEnv> {
  return async (c) => {
    const { order, limit, after } = c.req.valid('query');
    const turn = await findOwnCompletion(db, c.get('project'), c.req.valid('param').id);
    const messages = storedMessages(turn);
    return c.json(itemPage(itemsAfter(after, order === 'asc' ? messages : messages.toReversed()), { limit }), 200);
  };
}

function updateOne({ db }: ApiContext): RouteHandler<typeof update, ApiEnv> {
  return async (c) => {
    const [project, { id }] = [c.get('project'), c.req.valid('param')];
    const found = await findOwnCompletion(db, project, id);
    await setTurnMetadata(db, found.id, c.req.valid('json').metadata ?? {});
    return c.json(presentListed(await findOwnCompletion(db, project, id)), 200);
  };
}

function removeOne(context: ApiContext): RouteHandler<typeof remove, ApiEnv> {
  return async (c) => {
    const [project, { id }] = [c.get('project'), c.req.valid('param')];
    const turnId = turnIdOfCompletion(id);
    const hidden = turnId && (await context.db.transaction().execute((trx) => hideTurn(trx, project, turnId)));
    if (!hidden) throw completionNotFound();
    await publishChanges(context, { wakeups: hidden.wakeups, ended: hidden.wasActive ? [turnId] : [] });
    return c.json({ id, object: 'chat.completion.deleted' as const, deleted: true as const }, 200);
  };
}
