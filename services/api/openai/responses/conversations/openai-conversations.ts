import { type RouteHandler, z } from '@hono/zod-openapi';
import { setMetadata } from '#core/checkpoint/conversations.ts';
import { deleteConversation } from '#core/checkpoint/deletion/delete-conversation.ts';
import { hideConversation } from '#core/checkpoint/deletion/hide.ts';
import type { Trx } from '#core/checkpoint/tables.ts';
import { endTurn } from '#core/checkpoint/turns/end.ts';
import { findActiveTurns, findDelayedTurns } from '#core/checkpoint/turns/reading/find.ts';
import { lockConversation } from '#core/checkpoint/turns/reading/thread.ts';
import { unixSeconds } from '#core/turn/resource/unix-seconds.ts';
import type { Conversation } from '#core/turn/turn.ts';
import type { Wakeup } from '#core/turn/wakeup.ts';
import { publishChanges } from '../../../../process/publish-changes.ts';
import { checkItems } from '../../../../start/agents/check-items.ts';
import { allowedAgents } from '../../../agents/allowed-agents.ts';
import type { ApiContext } from '../../../context.ts';
import { conversationNotFound, findOwnConversation } from '../../../http/find-own.ts';
import { withIdempotencyKey } from '../../../http/idempotency.ts';
import { type ApiEnv, json, makeRouter, routesOf } from '../../../http/router.ts';
import { ofAnyBody, ofIdempotencyKey, ofItems } from '../../../schemas/errors/refusals.ts';
import { idempotencyKey, replayedHeader } from '../../../schemas/fields/headers.ts';
import { ConversationId } from '../../../schemas/fields/id.ts';
import { explainResponseIssues } from '../request/explain-issues.ts';
import { readAddedItems } from '../request/read-input.ts';
import {
  ConversationBody,
  ConversationObject,
  DeletedConversation,
  MetadataBody,
} from '../schemas/conversation-object.ts';
import { openaiAnswer, responseRefusals } from '../schemas/response-refusals.ts';
import { beginConversation } from './add-to-conversation.ts';

const BASE = '/openai/v1';
const path = `${BASE}/conversations/{id}`;
const params = z.object({ id: ConversationId });
const shown = (description: string) => ({ 200: openaiAnswer(description, ConversationObject) });

const route = routesOf('Responses', responseRefusals);

const create = route('post', `${BASE}/conversations`, 'createConversationForOpenai', {
  summary: 'Create a conversation with initial items (OpenAI base URL)',
  parameters: [idempotencyKey],
  request: { body: { required: false, content: json(ConversationBody) } },
  answers: {
    200: openaiAnswer('The conversation. Pawl’s own API also has it.', ConversationObject, replayedHeader),
  },
  refusals: [...ofItems, ...ofIdempotencyKey, 'conversation_not_found'],
});

const retrieve = route('get', path, 'readConversationForOpenai', {
  summary: 'Retrieve a conversation of either API (OpenAI base URL)',
  request: { params },
  answers: shown('The conversation.'),
  refusals: ['conversation_not_found'],
});

const update = route('post', path, 'updateConversationForOpenai', {
  summary: 'Replace the metadata of a conversation (OpenAI base URL)',
  request: { params, body: { required: true, content: json(MetadataBody) } },
  answers: shown('The conversation as it is now.'),
  refusals: [...ofAnyBody, 'unknown_parameter', 'missing_required_parameter', 'conversation_not_found'],
});

const remove = route('delete', path, 'deleteConversationForOpenai', {
  summary: 'Delete a conversation with its responses (OpenAI base URL)',
  description: 'Deletes the conversation. Active responses are cancelled first. Forks keep its history.',
  request: { params },
  answers: { 200: openaiAnswer('The conversation was deleted.', DeletedConversation) },
  refusals: ['quota_exceeded', 'conversation_not_found'],
});

/** Serves `/openai/v1/conversations`. */
export function openaiConversationRoutes(context: ApiContext) {
  return makeRouter(explainResponseIssues)
    .openapi(create, createOne(context))
    .openapi(retrieve, retrieveOne(context))
    .openapi(update, updateOne(context))
    .openapi(remove, removeOne(context));
}

function createOne(context: ApiContext): RouteHandler<typeof create, ApiEnv> {
  return async (c) => {
    const project = c.get('project');
    const { items, metadata } = c.req.valid('json');
    const unseal = (sealed: string) => context.stateSeals.unsealSummary(sealed, project);
    if (allowedAgents(c, context)) checkItems(items ?? [], 'items');
    const given = { project, items: await readAddedItems(items ?? [], unseal), metadata: metadata ?? {} };
    const { resourceId } = await withIdempotencyKey(c, context, {
      inTransaction: (trx) => beginConversation(trx, given),
    });
    return c.json(present(await findOwnConversation(context.db, project, resourceId)), 200);
  };
}

function retrieveOne({ db }: ApiContext): RouteHandler<typeof retrieve, ApiEnv> {
  return async (c) => c.json(present(await findOwnConversation(db, c.get('project'), c.req.valid('param').id)), 200);
}

function updateOne({ db }: ApiContext): RouteHandler<typeof update, ApiEnv> {
  return async (c) => {
    const project = c.get('project');
    const { id } = await findOwnConversation(db, project, c.req.valid('param').id);
    await setMetadata(db, id, c.req.valid('json').metadata ?? {});
    return c.json(present(await findOwnConversation(db, project, id)), 200);
  };
}

function removeOne(context: ApiContext): RouteHandler<typeof remove, ApiEnv> {
  return async (c) => {
    const project = c.get('project');
    const { id } = await findOwnConversation(context.db, project, c.req.valid('param').id);
    await publishChanges(context, await context.db.transaction().execute((trx) => cancelAndDelete(trx, project, id)));
    return c.json({ id, object: 'conversation.deleted' as const, deleted: true as const }, 200);
  };
}

/** Presents a conversation in OpenAI's shape. */
export function present({ id, createdAt, metadata }: Conversation) {
  return { id, object: 'conversation' as const, created_at: unixSeconds(createdAt), metadata };
}

/** The work after the commit of a delete: wake-ups to enqueue, and turns that were cancelled first. */
type Deleted = { wakeups: Wakeup[]; ended: string[] };

/**
 * Deletes a conversation with its turns. Active turns are cancelled first, the last turn before the others. In that
 * case the conversation is first hidden and erased soon after, so that waiting clients still receive the end of their
 * turns.
 */
async function cancelAndDelete(trx: Trx, project: string, conversationId: string): Promise<Deleted> {
  if (!(await lockConversation(trx, project, conversationId))) throw conversationNotFound();
  const delayed = await findDelayedTurns(trx, conversationId);
  const active = [...(await findActiveTurns(trx, conversationId)), ...delayed].reverse();
  const wakeups: Wakeup[] = [];
  for (const turnId of active) {
    wakeups.push(...((await endTurn(trx, { turnId, conversationId, status: 'cancelled' })) ?? []));
  }
  if (active.length > 0) await hideConversation(trx, conversationId);
  else await deleteConversation(trx, project, conversationId);
  return { wakeups, ended: active };
}
