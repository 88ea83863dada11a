import { createRoute, type RouteHandler, z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { createConversation, listConversations, listWithLatestTurns } from '#core/checkpoint/conversations.ts';
import { deleteConversation } from '#core/checkpoint/deletion/delete-conversation.ts';
import { findFirstTurn } from '#core/checkpoint/turns/reading/find.ts';
import { RequestRefused } from '#core/failure.ts';
import { newId } from '#core/id.ts';
import { ConversationRequest } from '#core/turn/request/conversation.ts';
import type { StandingConfig, TurnConfig } from '#core/turn/request/turn.ts';
import { presentConversation } from '#core/turn/resource/conversation.ts';
import { presentListed, presentTurn } from '#core/turn/resource/turn.ts';
import type { Conversation as StoredConversation } from '#core/turn/turn.ts';
import { publishChanges } from '../../process/publish-changes.ts';
import type { Made, Making } from '../../start/made.ts';
import { checkStanding, resolveConfig } from '../../start/resolve-config.ts';
import { toolInForce } from '../../start/resolve-tools.ts';
import { refuseTurnFields } from '../../start/start-time.ts';
import { type Started, startingConversation } from '../../start/start-turn.ts';
import { takeInput } from '../../start/take-input.ts';
import type { ApiContext } from '../context.ts';
import { findOwnConversation } from '../find-own.ts';
import { explainTurnIssues } from '../http/fields/foreign-fields.ts';
import { findReplay, withIdempotencyKey } from '../http/idempotency.ts';
import { setPollAfter } from '../http/poll-after.ts';
import { type ApiEnv, json, makeRouter } from '../http/router.ts';
import { startedBy } from '../http/started-by.ts';
import { startWithinQuota } from '../quotas/start-within-quota.ts';
import { Conversation } from '../schemas/conversation.ts';
import { ofBody, ofConfig, ofIdempotencyKey, refusals } from '../schemas/errors/refusals.ts';
import { idempotencyKey, locationHeader, pollAfterHeader, replayedHeader } from '../schemas/fields/headers.ts';
import { ConversationId } from '../schemas/fields/id.ts';
import { MetadataQuery, readMetadata } from '../schemas/fields/metadata-query.ts';
import { fullPage, listOf, PageQuery, readCursor } from '../schemas/page.ts';
import { createdBetween, searchedFor, searchFields } from '../schemas/turn-filter.ts';

const create = createRoute({
  method: 'post',
  path: '/v1/conversations',
  operationId: 'createConversation',
  tags: ['Conversations'],
  summary: 'Create a conversation; with `input`, also start its first turn',
  description:
    'What it is given, each of its turns inherits. What is of one turn alone goes with `input` only: `priority`, `on_active_turn` ' +
    'and the times. An SDK of OpenAI gets the operation of `/openai/v1/conversations` at this path.',
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
  return makeRouter(explainTurnIssues).openapi(create, createOne(context));
}

function createOne(context: ApiContext): RouteHandler<typeof create, ApiEnv> {
  return async (c) => {
    const project = c.get('project');
    const made = (await findReplay(c, context)) ?? (await makeOne(c, context, c.req.valid('json')));
    if ('wakeups' in made && made.wakeups) await publishChanges(context, { wakeups: made.wakeups });

    c.header('Location', `${context.publicUrl}/v1/conversations/${made.resourceId}`);
    const found = await findOwnConversation(context.db, project, made.resourceId);
    const conversation = presentConversation(found, (tool) => toolInForce(tool, context));
    if (made.status === 201) return c.json(conversation, 201);
    const turn = await findFirstTurn(context.db, made.resourceId);
    if (turn) setPollAfter(c, turn);
    return c.json({ ...conversation, ...(turn && { turn: presentTurn(turn) }) }, 202);
  };
}

async function makeOne(
  c: Context<ApiEnv>,
  context: ApiContext,
  body: ConversationRequest,
): Promise<Made & Partial<Pick<Started, 'wakeups'>>> {
  const project = c.get('project');
  const config = await configOfTurn(body, { ...context, project });
  const making = await makingOf(context, { ...startedBy(c, context), body, config });
  return (body.input ? startWithinQuota : withIdempotencyKey)(c, context, making);
}

/** How the first turn is worked; null where there is none yet, and the configuration is only checked. */
async function configOfTurn(
  body: ConversationRequest,
  rules: ApiContext & { project: string },
): Promise<TurnConfig | null> {
  if (body.input) return resolveConfig(standingOf(body), { ...rules, input: body.input });
  refuseTurnFields(body);
  await checkStanding(standingOf(body), rules);
  return null;
}

type Creation = ReturnType<typeof startedBy> & {
  body: ConversationRequest;
  config: TurnConfig | null;
};

async function makingOf(
  context: ApiContext,
  { project, keyId, trace, needsPlace, body, config }: Creation,
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
  const { priority, on_active_turn, debounce_ms, start_at, delay_seconds } = body;
  const start = {
    project,
    keyId,
    trace,
    needsPlace,
    conversationId: id,
    config,
    taken,
    request: { priority, on_active_turn, debounce_ms, start_at, delay_seconds },
  };
  return withResource(startingConversation(start, standing), id);
}

/** What is made is the conversation, not its turn. */
function withResource(making: Making<Started>, resourceId: string): Making<Made & Pick<Started, 'wakeups'>> {
  if (!making.together) return { atOnce: async (db) => ({ ...(await making.atOnce(db)), resourceId }) };
  return { together: async (trx) => ({ ...(await making.together(trx)), resourceId }) };
}

function standingOf({ input, metadata, on_active_turn, priority, ...others }: ConversationRequest): StandingConfig {
  const { start_at, delay_seconds, debounce_ms, ...config } = others;
  return config;
}

const params = z.object({ id: ConversationId });

const list = createRoute({
  method: 'get',
  path: '/v1/conversations',
  operationId: 'listConversations',
  tags: ['Conversations'],
  summary: 'List conversations, newest first',
  description: 'By their own model and metadata, and by the words of their turns: `q` has to fit one of them.',
  request: {
    query: PageQuery.extend({
      ...searchFields,
      metadata: MetadataQuery,
      include: z.enum(['latest_turn']).optional().describe('`latest_turn`: each conversation with its latest turn.'),
    }),
  },
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
  description: 'An SDK of OpenAI gets the conversation of `/openai/v1/conversations/{id}` at this path.',
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
  description:
    'Its turns, their events and their deliveries go with it, and their content is erased at once; what a fork stands on goes ' +
    'with the last fork. While one of its turns is active: 409. An SDK of OpenAI gets the operation of ' +
    '`/openai/v1/conversations/{id}` at this path.',
  request: { params },
  responses: {
    204: { description: 'Deleted.' },
    ...refusals('quota_exceeded', 'conversation_not_found', 'conversation_busy'),
  },
});

/** `/v1/conversations`: what the turns of one caller have in common. */
export function conversationRoutes(context: ApiContext) {
  return makeRouter()
    .openapi(list, listAll(context))
    .openapi(read, readOne(context))
    .openapi(remove, removeOne(context));
}

function listAll({ readAnywhere, tools, mcp, availability }: ApiContext): RouteHandler<typeof list, ApiEnv> {
  const listed = (row: StoredConversation) => presentConversation(row, (tool) => toolInForce(tool, { tools, mcp }));
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

function readOne({ db, tools, mcp }: ApiContext): RouteHandler<typeof read, ApiEnv> {
  return async (c) => {
    const conversation = await findOwnConversation(db, c.get('project'), c.req.valid('param').id);
    return c.json(
      presentConversation(conversation, (tool) => toolInForce(tool, { tools, mcp })),
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
