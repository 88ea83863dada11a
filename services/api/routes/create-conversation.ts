import { createRoute, type RouteHandler, z } from '@hono/zod-openapi';
import { createConversation } from '#core/checkpoint/create-conversation.ts';
import type { Db } from '#core/checkpoint/database.ts';
import { findFirstTurn } from '#core/checkpoint/find-first-turn.ts';
import { newId } from '#core/id.ts';
import { presentConversation } from '#core/turn/present-conversation.ts';
import { presentTurn } from '#core/turn/present-turn.ts';
import { ConversationRequest, type StandingConfig, type TurnConfig } from '#core/turn/turn-request.ts';
import { announce } from '../announce.ts';
import type { ApiEnv } from '../api-env.ts';
import type { ApiContext } from '../context.ts';
import { findOwnConversation } from '../find-own.ts';
import { idempotently, type Made } from '../idempotently.ts';
import { json, makeRouter } from '../make-router.ts';
import { setPollAfter } from '../poll-after.ts';
import { checkStanding, resolveConfig } from '../resolve-config.ts';
import { toolInForce } from '../resolve-tools.ts';
import { Conversation } from '../schemas/conversation.ts';
import { locationHeader, pollAfterHeader, replayedHeader } from '../schemas/headers.ts';
import { idempotencyKey } from '../schemas/idempotency-key.ts';
import { ofBody, ofConfig, ofIdempotencyKey, refusals } from '../schemas/refusals.ts';
import { type Started, startConversation } from '../start-turn.ts';

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
    ...refusals(...ofBody, ...ofConfig, ...ofIdempotencyKey),
  },
});

/** `POST /v1/conversations`. */
export function createConversationRoute(context: ApiContext) {
  return makeRouter().openapi(create, handler(context));
}

function handler(context: ApiContext): RouteHandler<typeof create, ApiEnv> {
  return async (c) => {
    const project = c.get('project');
    const body = c.req.valid('json');
    const config = await configOfTurn(body, { ...context, project });

    const made = await idempotently(c, context, { atOnce: (db) => make(db, { project, body, config }) });
    if ('rings' in made) await announce(context, made);

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

type Making = { project: string; body: ConversationRequest; config: TurnConfig | null };

async function make(db: Db, { project, body, config }: Making): Promise<Made | (Made & Pick<Started, 'rings'>)> {
  const id = newId('conv');
  const standing = { config: standingOf(body), metadata: body.metadata ?? {} };
  if (!body.input || !config) {
    await createConversation(db, { id, project, ...standing });
    return { status: 201, resourceId: id };
  }
  const request = { input: body.input, priority: body.priority };
  const { rings } = await startConversation(db, { project, conversationId: id, config, request }, standing);
  return { status: 202, resourceId: id, rings };
}

function standingOf({ input, metadata, on_active_turn, priority, ...config }: ConversationRequest): StandingConfig {
  return config;
}
