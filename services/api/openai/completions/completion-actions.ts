import { createRoute, type RouteHandler, z } from '@hono/zod-openapi';
import { setTurnMetadata } from '#core/checkpoint/completions.ts';
import { hideTurn } from '#core/checkpoint/deletion/hide.ts';
import { turnIdOfCompletion } from '#core/turn/completions/completion-id.ts';
import { publishChanges } from '../../../process/publish-changes.ts';
import type { ApiContext } from '../../context.ts';
import { RESPONSE_BASES, type ResponseBase } from '../../http/response-base.ts';
import { type ApiEnv, json, makeRouter } from '../../http/router.ts';
import { ofAnyBody } from '../../schemas/errors/refusals.ts';
import { explainCompletionIssues } from '../responses/request/explain-issues.ts';
import { MetadataBody } from '../responses/schemas/conversation-object.ts';
import { completionOperationAt } from '../responses/schemas/operation-at.ts';
import { openaiHeaders, responseRefusals } from '../responses/schemas/response-refusals.ts';
import { completionNotFound, findOwnCompletion } from './find-completion.ts';
import { CompletionId, CompletionObject, DeletedCompletion } from './schemas/completion-object.ts';
import { presentListed } from './show-completion.ts';

const params = z.object({ id: CompletionId });
const headers = z.object(openaiHeaders);

const updateAt = (base: ResponseBase) =>
  createRoute({
    method: 'post',
    path: `${base}/chat/completions/{id}`,
    ...completionOperationAt(base, 'updateCompletion', 'Replace the metadata of a chat completion'),
    request: { params, body: { required: true, content: json(MetadataBody) } },
    responses: {
      200: { description: 'The completion as it is now.', headers, content: json(CompletionObject) },
      ...responseRefusals(...ofAnyBody, 'unknown_parameter', 'missing_required_parameter', 'completion_not_found'),
    },
  });

const deleteAt = (base: ResponseBase) =>
  createRoute({
    method: 'delete',
    path: `${base}/chat/completions/{id}`,
    ...completionOperationAt(base, 'deleteCompletion', 'Delete a chat completion'),
    description: 'An active completion is cancelled first. Later completions that are based on it keep its history.',
    request: { params },
    responses: {
      200: { description: 'The completion was deleted.', headers, content: json(DeletedCompletion) },
      ...responseRefusals('quota_exceeded', 'completion_not_found'),
    },
  });

/** `POST` and `DELETE` of a chat completion, under both bases (contract-responses R28, R80). */
export function completionActionRoutes(context: ApiContext) {
  const router = makeRouter(explainCompletionIssues);
  for (const base of RESPONSE_BASES) {
    router.openapi(updateAt(base), updateOne(context)).openapi(deleteAt(base), deleteOne(context));
  }
  return router;
}

function updateOne({ db }: ApiContext): RouteHandler<ReturnType<typeof updateAt>, ApiEnv> {
  return async (c) => {
    const [project, { id }] = [c.get('project'), c.req.valid('param')];
    const found = await findOwnCompletion(db, project, id);
    await setTurnMetadata(db, found.id, c.req.valid('json').metadata ?? {});
    return c.json(presentListed(await findOwnCompletion(db, project, id)), 200);
  };
}

function deleteOne(context: ApiContext): RouteHandler<ReturnType<typeof deleteAt>, ApiEnv> {
  return async (c) => {
    const [project, { id }] = [c.get('project'), c.req.valid('param')];
    const turnId = turnIdOfCompletion(id);
    const hidden = turnId && (await context.db.transaction().execute((trx) => hideTurn(trx, project, turnId)));
    if (!hidden) throw completionNotFound();
    await publishChanges(context, { wakeups: hidden.wakeups, ended: hidden.wasActive ? [turnId] : [] });
    return c.json({ id, object: 'chat.completion.deleted' as const, deleted: true as const }, 200);
  };
}
