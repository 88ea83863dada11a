import { createRoute, type RouteHandler, z } from '@hono/zod-openapi';
import { deleteConversation } from '#core/checkpoint/delete-conversation.ts';
import { listConversations } from '#core/checkpoint/list-conversations.ts';
import { RequestRefused } from '#core/failure.ts';
import { presentConversation } from '#core/turn/present-conversation.ts';
import type { ApiEnv } from '../api-env.ts';
import type { ApiContext } from '../context.ts';
import { findOwnConversation } from '../find-own.ts';
import { json, makeRouter } from '../make-router.ts';
import { fullPage, PageQuery, readCursor } from '../page.ts';
import { toolInForce } from '../resolve-tools.ts';
import { Conversation } from '../schemas/conversation.ts';
import { ConversationId } from '../schemas/id.ts';
import { listOf } from '../schemas/list-of.ts';
import { refusals } from '../schemas/refusals.ts';

const params = z.object({ id: ConversationId });

const list = createRoute({
  method: 'get',
  path: '/v1/conversations',
  operationId: 'listConversations',
  tags: ['Conversations'],
  summary: 'List conversations, newest first',
  request: { query: PageQuery },
  responses: {
    200: { description: 'A page.', content: json(listOf(Conversation)) },
    ...refusals('invalid_value'),
  },
});

const read = createRoute({
  method: 'get',
  path: '/v1/conversations/{id}',
  operationId: 'readConversation',
  tags: ['Conversations'],
  summary: 'Read a conversation with its configuration',
  request: { params },
  responses: {
    200: { description: 'The conversation.', content: json(Conversation) },
    ...refusals('conversation_not_found'),
  },
});

const remove = createRoute({
  method: 'delete',
  path: '/v1/conversations/{id}',
  operationId: 'deleteConversation',
  tags: ['Conversations'],
  summary: 'Delete a conversation and all that belongs to it',
  description: 'Its turns, their events and their deliveries go with it. While one of its turns is active: 409.',
  request: { params },
  responses: { 204: { description: 'Deleted.' }, ...refusals('conversation_not_found', 'conversation_busy') },
});

/** `/v1/conversations`: what the turns of one caller have in common. */
export function conversationRoutes(context: ApiContext) {
  return makeRouter()
    .openapi(list, listAll(context))
    .openapi(read, readOne(context))
    .openapi(remove, removeOne(context));
}

function listAll({ db, tools }: ApiContext): RouteHandler<typeof list, ApiEnv> {
  return async (c) => {
    const { cursor, limit } = c.req.valid('query');
    const page = await listConversations(db, c.get('project'), { ...readCursor('conv', cursor), limit });
    return c.json(
      fullPage(page, (row) => presentConversation(row, (tool) => toolInForce(tool, tools))),
      200,
    );
  };
}

function readOne({ db, tools }: ApiContext): RouteHandler<typeof read, ApiEnv> {
  return async (c) => {
    const conversation = await findOwnConversation(db, c.get('project'), c.req.valid('param').id);
    return c.json(
      presentConversation(conversation, (tool) => toolInForce(tool, tools)),
      200,
    );
  };
}

function removeOne({ db }: ApiContext): RouteHandler<typeof remove, ApiEnv> {
  return async (c) => {
    const { id } = await findOwnConversation(db, c.get('project'), c.req.valid('param').id);
    const outcome = await db.transaction().execute((trx) => deleteConversation(trx, c.get('project'), id));
    if (outcome !== 'busy') return c.body(null, 204);
    const message = 'A turn of this conversation is still active. Wait for it or cancel it, then delete.';
    throw new RequestRefused(409, 'conversation_busy', message);
  };
}
