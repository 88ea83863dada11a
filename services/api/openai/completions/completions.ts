import { createRoute, type RouteHandler, z } from '@hono/zod-openapi';
import { isListed, listCompletions } from '#core/checkpoint/completions.ts';
import { turnIdOfCompletion } from '#core/turn/completions/completion-id.ts';
import { storedMessages } from '#core/turn/completions/stored-messages.ts';
import { isTerminal } from '#core/turn/turn.ts';
import type { ApiContext } from '../../context.ts';
import { setPollAfter } from '../../http/poll-after.ts';
import { RESPONSE_BASES, type ResponseBase } from '../../http/response-base.ts';
import { type ApiEnv, json, makeRouter } from '../../http/router.ts';
import { pollAfterHeader } from '../../schemas/fields/headers.ts';
import { MetadataQuery, readMetadata } from '../../schemas/fields/metadata-query.ts';
import { queryInteger, queryNumber } from '../../schemas/fields/query-number.ts';
import { answerFailed } from '../responses/creating/answer-ended.ts';
import { itemPage, itemsAfter, notInList } from '../responses/item-page.ts';
import { explainCompletionIssues } from '../responses/request/explain-issues.ts';
import { completionOperationAt } from '../responses/schemas/operation-at.ts';
import { createRefusals, openaiHeaders, responseRefusals } from '../responses/schemas/response-refusals.ts';
import { findOwnCompletion } from './find-completion.ts';
import { CompletionId, CompletionList, CompletionObject, MessageList } from './schemas/completion-object.ts';
import { presentListed, showCompletion, storeAnswers } from './show-completion.ts';

const params = z.object({ id: CompletionId });
const headers = z.object(openaiHeaders);

const page = {
  order: z.enum(['asc', 'desc']).default('asc').describe('By time.'),
  limit: queryInteger({ min: 1, max: 100 }).default(20).describe('The size of a page.'),
  after: z.string().optional().describe('The `last_id` of the page before.'),
};

const retrieveAt = (base: ResponseBase) =>
  createRoute({
    method: 'get',
    path: `${base}/chat/completions/{id}`,
    ...completionOperationAt(base, 'retrieveCompletion', 'Retrieve a chat completion'),
    description: 'Until its end it has no `finish_reason`. A failed completion is answered with its error.',
    request: {
      params,
      query: z.object({
        wait: queryNumber({ min: 0, max: 60 }).default(0).describe('Seconds to wait at most for its end.'),
      }),
    },
    responses: {
      200: {
        description: 'The completion as it is now.',
        headers: z.object({ ...openaiHeaders, ...pollAfterHeader }),
        content: json(CompletionObject),
      },
      ...createRefusals('completion_not_found', 'invalid_value', 'too_many_streams'),
    },
  });

const listAt = (base: ResponseBase) =>
  createRoute({
    method: 'get',
    path: `${base}/chat/completions`,
    ...completionOperationAt(base, 'listCompletions', 'List the chat completions that were created with store: true'),
    request: {
      query: z.object({
        ...page,
        model: z.string().max(512).optional().describe('Only those of this model.'),
        metadata: MetadataQuery,
      }),
    },
    responses: {
      200: { description: 'A page of completions.', headers, content: json(CompletionList) },
      ...responseRefusals('invalid_value'),
    },
  });

const messagesAt = (base: ResponseBase) =>
  createRoute({
    method: 'get',
    path: `${base}/chat/completions/{id}/messages`,
    ...completionOperationAt(base, 'listCompletionMessages', 'List the messages that a completion was created with'),
    request: { params, query: z.object(page) },
    responses: {
      200: { description: 'A page of messages.', headers, content: json(MessageList) },
      ...responseRefusals('completion_not_found', 'invalid_value'),
    },
  });

/** `GET` of a completion, of the list and of its messages, under both bases (contract-responses R80, R84). */
export function completionRoutes(context: ApiContext) {
  const router = makeRouter(explainCompletionIssues);
  for (const base of RESPONSE_BASES) {
    router
      .openapi(retrieveAt(base), retrieve(context))
      .openapi(listAt(base), list(context))
      .openapi(messagesAt(base), listMessages(context));
  }
  return router;
}

function retrieve(context: ApiContext): RouteHandler<ReturnType<typeof retrieveAt>, ApiEnv> {
  const { db, streamHub, streamLimiter } = context;
  return async (c) => {
    const { wait } = c.req.valid('query');
    const { id } = c.req.valid('param');
    const project = c.get('project');
    const found = await findOwnCompletion(db, project, id);
    if (wait > 0 && !isTerminal(found.status)) {
      const release = streamLimiter.acquire({ project, keyId: c.get('keyId') });
      const timing = { timeoutMs: wait * 1000, untilSettled: true, project, signal: c.req.raw.signal };
      await streamHub.waitFor(found.id, ({ status }) => isTerminal(status), timing).finally(release);
    }
    // The completion may have been deleted while the request waited.
    const turn = wait > 0 ? await findOwnCompletion(db, project, id) : found;
    setPollAfter(c, turn);
    if (!turn.error) return c.json(await showCompletion(context, turn), 200);
    // A failure is an error, as for a client that waited: a completion has no field for it.
    c.header('pawl-response-id', id);
    return answerFailed(c, turn.error) as never;
  };
}

function list(context: ApiContext): RouteHandler<ReturnType<typeof listAt>, ApiEnv> {
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

function listMessages({ db }: ApiContext): RouteHandler<ReturnType<typeof messagesAt>, ApiEnv> {
  return async (c) => {
    const { order, limit, after } = c.req.valid('query');
    const turn = await findOwnCompletion(db, c.get('project'), c.req.valid('param').id);
    const messages = storedMessages(turn);
    return c.json(itemPage(itemsAfter(after, order === 'asc' ? messages : messages.toReversed()), { limit }), 200);
  };
}
