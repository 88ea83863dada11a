import { type RouteHandler, z } from '@hono/zod-openapi';
import { findTurnOfItems } from '#core/checkpoint/turns/reading/thread.ts';
import { type ConversationItem as Item, itemsOfTurn } from '#core/turn/responses/conversation-items.ts';
import type { Turn } from '#core/turn/turn.ts';
import { checkNamed } from '../../../../start/agents/allowed-agents.ts';
import { checkItems } from '../../../../start/agents/check-items.ts';
import { allowedAgents } from '../../../agents/allowed-agents.ts';
import type { ApiContext } from '../../../context.ts';
import { findOwnConversation } from '../../../http/find-own.ts';
import { withIdempotencyKey } from '../../../http/idempotency.ts';
import { type ApiEnv, json, makeRouter, routesOf } from '../../../http/router.ts';
import { ofIdempotencyKey, ofItems } from '../../../schemas/errors/refusals.ts';
import { idempotencyKey, replayedHeader } from '../../../schemas/fields/headers.ts';
import { ConversationId } from '../../../schemas/fields/id.ts';
import { fillImages } from '../images/fill-images.ts';
import { itemPage, pageQuery } from '../item-page.ts';
import { explainResponseIssues } from '../request/explain-issues.ts';
import { readAddedItems } from '../request/read-input.ts';
import {
  ConversationItem,
  ConversationItemList,
  ConversationObject,
  ItemsBody,
} from '../schemas/conversation-object.ts';
import { asksForState, includeQuery, withOutputs } from '../schemas/include-query.ts';
import { openaiAnswer, responseRefusals } from '../schemas/response-refusals.ts';
import { addToConversation } from './add-to-conversation.ts';
import { deleteItem } from './delete-item.ts';
import { findItem, listItems } from './list-items.ts';
import { present } from './openai-conversations.ts';

const BASE = '/openai/v1';
const path = `${BASE}/conversations/{id}/items`;
const params = z.object({ id: ConversationId });
const itemParams = params.extend({ item_id: z.string().describe('The id of the item, as lists show it.') });

const route = routesOf('Responses', responseRefusals);

const add = route('post', path, 'addConversationItemsForOpenai', {
  summary: 'Add items to a conversation (OpenAI base URL)',
  description:
    'Pawl adds the items after the existing items, even while a response is running. It does not ask a model.',
  parameters: [idempotencyKey],
  request: { params, query: z.object(includeQuery), body: { required: true, content: json(ItemsBody) } },
  answers: {
    200: openaiAnswer(
      'The items with their ids. Items without content for a model are left out.',
      ConversationItemList,
      replayedHeader,
    ),
  },
  refusals: [...ofItems, ...ofIdempotencyKey, 'conversation_not_found', 'previous_response_not_finished'],
});

const list = route('get', path, 'listConversationItemsForOpenai', {
  summary: 'List the items of a conversation (OpenAI base URL)',
  description:
    'Lists the messages, calls, results and added items of all turns. A page of large items may have fewer than `limit` items.',
  request: {
    params,
    query: z.object({
      ...includeQuery,
      ...pageQuery('desc', 'The order, by position in the conversation.'),
    }),
  },
  answers: { 200: openaiAnswer('A page of items.', ConversationItemList) },
  refusals: ['conversation_not_found', 'invalid_value'],
});

const retrieve = route('get', `${path}/{item_id}`, 'readConversationItemForOpenai', {
  summary: 'Retrieve an item of a conversation (OpenAI base URL)',
  request: { params: itemParams, query: z.object(includeQuery) },
  answers: { 200: openaiAnswer('The item.', ConversationItem) },
  refusals: ['conversation_not_found', 'conversation_item_not_found'],
});

const remove = route('delete', `${path}/{item_id}`, 'deleteConversationItemForOpenai', {
  summary: 'Delete an item from a conversation (OpenAI base URL)',
  description: 'Later requests to a model no longer include the item. A call and its result are deleted together.',
  request: { params: itemParams },
  answers: { 200: openaiAnswer('The conversation.', ConversationObject) },
  refusals: ['quota_exceeded', 'conversation_not_found', 'conversation_item_not_found'],
});

/** Serves `/openai/v1/conversations/:id/items`. */
export function conversationItemRoutes(context: ApiContext) {
  return makeRouter(explainResponseIssues)
    .openapi(add, addSome(context))
    .openapi(list, listAll(context))
    .openapi(retrieve, retrieveOne(context))
    .openapi(remove, removeOne(context));
}

function addSome(context: ApiContext): RouteHandler<typeof add, ApiEnv> {
  return async (c) => {
    const project = c.get('project');
    const conversation = await findOwnConversation(context.db, project, c.req.valid('param').id);
    const { id: conversationId } = conversation;
    const unseal = (sealed: string) => context.stateSeals.unsealSummary(sealed, project);
    const allowed = allowedAgents(c, context);
    if (allowed) checkItems(c.req.valid('json').items, 'items');
    if (allowed && conversation.config.agent) checkNamed(conversation.config.agent, allowed);
    const addition = { project, conversationId, items: await readAddedItems(c.req.valid('json').items, unseal) };
    const created = await withIdempotencyKey(c, context, { inTransaction: (trx) => addToConversation(trx, addition) });
    const added = await addedItems(context, project, created.resourceId);
    return c.json(itemPage(added, { limit: added.length }), 200);
  };
}

/** Returns the items of one request as they are now. Empty if no item had content for a model. */
async function addedItems({ db, stateSeals }: ApiContext, project: string, resourceId: string): Promise<Item[]> {
  const found = await findTurnOfItems(db, project, resourceId);
  return found ? itemsOfTurn(stateSeals.sealTurn(found.turn), found.deletedItems) : [];
}

function listAll({ readAnywhere, stateSeals }: ApiContext): RouteHandler<typeof list, ApiEnv> {
  return async (c) => {
    const { id } = c.req.valid('param');
    const query = c.req.valid('query');
    const { order, limit, after } = query;
    const page = await readAnywhere(async (db) => {
      const show = async (turn: Turn) =>
        stateSeals.sealTurn(await fillImages(db, withOutputs(turn, query)), asksForState(query));
      await findOwnConversation(db, c.get('project'), id);
      return listItems(db, id, { after, direction: order, limit, show });
    });
    return c.json(page, 200);
  };
}

function retrieveOne({ db, stateSeals }: ApiContext): RouteHandler<typeof retrieve, ApiEnv> {
  return async (c) => {
    const { id, item_id: itemId } = c.req.valid('param');
    const conversation = await findOwnConversation(db, c.get('project'), id);
    const query = c.req.valid('query');
    const show = async (turn: Turn) =>
      stateSeals.sealTurn(await fillImages(db, withOutputs(turn, query)), asksForState(query));
    return c.json(await findItem(db, conversation.id, { itemId, show }), 200);
  };
}

function removeOne({ db, stateSeals }: ApiContext): RouteHandler<typeof remove, ApiEnv> {
  return async (c) => {
    const project = c.get('project');
    const { id, item_id: itemId } = c.req.valid('param');
    const conversation = await findOwnConversation(db, project, id);
    const show = async (turn: Turn) => stateSeals.sealTurn(turn, true);
    const deletion = { project, conversationId: conversation.id, itemId, show };
    await db.transaction().execute((trx) => deleteItem(trx, deletion));
    return c.json(present(await findOwnConversation(db, project, id)), 200);
  };
}
