import { createRoute, type RouteHandler, z } from '@hono/zod-openapi';
import { createConversation, deleteConversation, listConversations } from '#core/checkpoint/conversations.ts';
import { findFirstTurn } from '#core/checkpoint/turns/reading/find.ts';
import { RequestRefused } from '#core/failure.ts';
import { newId } from '#core/id.ts';
import { ConversationRequest, type StandingConfig, type TurnConfig } from '#core/turn/request/turn.ts';
import { presentConversation } from '#core/turn/resource/conversation.ts';
import { presentTurn } from '#core/turn/resource/turn.ts';
import { takeInput } from '../blobs/take-input.ts';
import type { ApiContext } from '../context.ts';
import { findOwnConversation } from '../find-own.ts';
import { type Made, type Making, withIdempotencyKey } from '../http/idempotency.ts';
import { setPollAfter } from '../http/poll-after.ts';
import { type ApiEnv, json, makeRouter } from '../http/router.ts';
import { publishChanges } from '../publish-changes.ts';
import { checkStanding, resolveConfig } from '../resolve-config.ts';
import { toolInForce } from '../resolve-tools.ts';
import { Conversation } from '../schemas/conversation.ts';
import { idempotencyKey, locationHeader, pollAfterHeader, replayedHeader } from '../schemas/fields/headers.ts';
import { ConversationId } from '../schemas/fields/id.ts';
import { fullPage, listOf, PageQuery, readCursor } from '../schemas/page.ts';
import { ofBody, ofConfig, ofIdempotencyKey, refusals } from '../schemas/refusals.ts';
import { type Started, startingConversation } from '../start-turn.ts';

const create = createRoute({
  method: 'post',
  path: '/v1/conversations',
  operationId: 'createConversation',
  tags: ['Conversations'],
  summary: 'Create a conversation; with `input`, also start its first turn',
  description: 'What it is given, each of its turns inherits.',
  parameters: [idempotencyKey],
  request: { body: { required: true, content: json(ConversationRequest) } },
  responses: {
    201: {
      description: 'Created.',
      headers: z.object({ ...locationHeader, ...replayedHeader }),
      content: json(Conversation),
    },
    202: {
      description: 'Created, and its first turn is started: `turn`.',
      headers: z.object({ ...locationHeader, ...pollAfterHeader, ...replayedHeader }),
      content: json(Conversation),
    },
    ...refusals(...ofBody, ...ofConfig, ...ofIdempotencyKey, 'unsupported_content'),
  },
});

/** `POST /v1/conversations`. */
export function createConversationRoute(context: ApiContext) {
  return makeRouter().openapi(create, createOne(context));
}

function createOne(context: ApiContext): RouteHandler<typeof create, ApiEnv> {
  return async (c) => {
    const project = c.get('project');
    const body = c.req.valid('json');
    const config = await configOfTurn(body, { ...context, project });

    const making = await makingOf(context, { project, body, config });
    const made = await withIdempotencyKey(c, context, making);
    if ('wakeups' in made) await publishChanges(context, made);

    c.header('Location', `/v1/conversations/${made.resourceId}`);
    const found = await findOwnConversation(context.db, project, made.resourceId);
    const conversation = presentConversation(found, (tool) => toolInForce(tool, context.tools));
    if (made.status === 201) return c.json(conversation, 201);
    const turn = await findFirstTurn(context.db, made.resourceId);
    if (turn) setPollAfter(c, turn);
    return c.json({ ...conversation, ...(turn && { turn: presentTurn(turn) }) }, 202);
  };
}

/** How the first turn is worked; null where there is none yet, and the configuration is only checked. */
async function configOfTurn(
  body: ConversationRequest,
  rules: ApiContext & { project: string },
): Promise<TurnConfig | null> {
  if (body.input) return resolveConfig(standingOf(body), rules);
  await checkStanding(standingOf(body), rules);
  return null;
}

type Creation = { project: string; body: ConversationRequest; config: TurnConfig | null };

async function makingOf(
  context: ApiContext,
  { project, body, config }: Creation,
): Promise<Making<Made | (Made & Pick<Started, 'wakeups'>)>> {
  const id = newId('conv');
  const standing = { config: standingOf(body), metadata: body.metadata ?? {} };
  if (!body.input || !config) {
    return {
      atOnce: async (db) => {
        await createConversation(db, { id, project, ...standing });
        return { status: 201, resourceId: id };
      },
    };
  }
  const taken = await takeInput(context, { project, config, input: body.input });
  const start = { project, conversationId: id, config, taken, request: { priority: body.priority } };
  return withResource(startingConversation(start, standing), id);
}

/** What is made is the conversation, not its turn. */
function withResource(making: Making<Started>, resourceId: string): Making<Made & Pick<Started, 'wakeups'>> {
  if (!making.together) return { atOnce: async (db) => ({ ...(await making.atOnce(db)), resourceId }) };
  return { together: async (trx) => ({ ...(await making.together(trx)), resourceId }) };
}

function standingOf({ input, metadata, on_active_turn, priority, ...config }: ConversationRequest): StandingConfig {
  return config;
}

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
