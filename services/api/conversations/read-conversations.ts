import { type RouteHandler, z } from '@hono/zod-openapi';
import { listConversations, listWithLatestTurns } from '#core/checkpoint/conversations.ts';
import { deleteConversation } from '#core/checkpoint/deletion/delete-conversation.ts';
import { RequestRefused } from '#core/failure.ts';
import { presentConversation } from '#core/turn/resource/conversation.ts';
import { presentListed } from '#core/turn/resource/turn.ts';
import type { Conversation as StoredConversation } from '#core/turn/turn.ts';
import { toolInForce } from '../../start/resolve-tools.ts';
import type { ApiContext } from '../context.ts';
import { findOwnConversation } from '../http/find-own.ts';
import { type ApiEnv, jsonAnswer, makeRouter, routesOf } from '../http/router.ts';
import { ConversationId } from '../schemas/fields/id.ts';
import { MetadataQuery, readMetadata } from '../schemas/fields/metadata-query.ts';
import { fullPage, listOf, PageQuery, readCursor } from '../schemas/page.ts';
import { createdBetween, searchedFor, searchFields } from '../turns/schemas/turn-filter.ts';
import { Conversation } from './schemas/conversation.ts';

const params = z.object({ id: ConversationId });

const route = routesOf('Conversations');

const list = route('get', '/v1/conversations', 'listConversations', {
  summary: 'List conversations, newest first',
  description: 'Filters match the conversation’s own model and metadata. `q` matches if one turn contains the words.',
  request: {
    query: PageQuery.extend({
      ...searchFields,
      metadata: MetadataQuery,
      include: z.enum(['latest_turn']).optional().describe('`latest_turn`: each conversation with its latest turn.'),
    }),
  },
  answers: { 200: jsonAnswer('A page.', listOf(Conversation)) },
  refusals: ['invalid_value'],
});

const read = route('get', '/v1/conversations/{id}', 'readConversation', {
  summary: 'Read a conversation with its configuration',
  description: 'At this path, OpenAI’s SDKs get the conversation of `/openai/v1/conversations/{id}`.',
  request: { params },
  answers: { 200: jsonAnswer('The conversation.', Conversation) },
  refusals: ['conversation_not_found'],
});

const remove = route('delete', '/v1/conversations/{id}', 'deleteConversation', {
  summary: 'Delete a conversation and its turns',
  description:
    'Deletes the turns with their events and deliveries, and erases their content at once. Content ' +
    'that a fork depends on is deleted with the last fork. While a turn is active: 409. At this ' +
    'path, OpenAI’s SDKs get the operation of `/openai/v1/conversations/{id}`.',
  request: { params },
  answers: { 204: { description: 'Deleted.' } },
  refusals: ['quota_exceeded', 'conversation_not_found', 'conversation_busy'],
});

/** Routes that read the conversations of a caller under `/v1/conversations`. */
export function readConversationRoutes(context: ApiContext) {
  return makeRouter()
    .openapi(list, listAll(context))
    .openapi(read, async (c) => {
      const conversation = await findOwnConversation(context.db, c.get('project'), c.req.valid('param').id);
      return c.json(showConversation(conversation, context), 200);
    })
    .openapi(remove, async (c) => {
      const { id } = await findOwnConversation(context.db, c.get('project'), c.req.valid('param').id);
      const outcome = await context.db.transaction().execute((trx) => deleteConversation(trx, c.get('project'), id));
      if (outcome !== 'busy') return c.body(null, 204);
      const message = 'A turn of this conversation is still active. Wait for it or cancel it, then delete.';
      throw new RequestRefused(409, 'conversation_busy', message);
    });
}

function listAll({ readAnywhere, tools, mcp, availability }: ApiContext): RouteHandler<typeof list, ApiEnv> {
  const listed = (row: StoredConversation) => showConversation(row, { tools, mcp });
  return async (c) => {
    const { cursor, limit, include, metadata: _, ...given } = c.req.valid('query');
    const filter = { ...searchedFor({ ...given, ...readMetadata(c.req.queries()) }), ...createdBetween(given) };
    const wanted = { ...filter, ...readCursor('conv', cursor), limit };
    const project = c.get('project');
    if (include === undefined)
      return c.json(fullPage(await readAnywhere((db) => listConversations(db, project, wanted)), listed), 200);
    const page = await readAnywhere((db) => listWithLatestTurns(db, project, wanted));
    const { away } = availability.last();
    const withTurn = ({ latestTurn, ...row }: (typeof page.rows)[number]) => ({
      ...listed(row),
      latest_turn: latestTurn && presentListed(latestTurn, away),
    });
    return c.json(fullPage(page, withTurn), 200);
  };
}

/** Presents a conversation to callers, with the current rules of its tools. */
export function showConversation(conversation: StoredConversation, context: Pick<ApiContext, 'tools' | 'mcp'>) {
  return presentConversation(conversation, (tool) => toolInForce(tool, context));
}
