import type { Context } from 'hono';
import { createConversation } from '#core/checkpoint/conversations.ts';
import { findFirstTurn } from '#core/checkpoint/turns/reading/find.ts';
import { newId } from '#core/id.ts';
import { ConversationRequest } from '#core/turn/request/conversation.ts';
import type { TurnConfig } from '#core/turn/request/turn.ts';
import { presentTurn } from '#core/turn/resource/turn.ts';
import { publishChanges } from '../../process/publish-changes.ts';
import { mergeStanding } from '../../start/agents/agent-layers.ts';
import { resolveLayers } from '../../start/agents/resolve-layers.ts';
import type { Created, Creation } from '../../start/creation.ts';
import { checkStanding } from '../../start/resolve-config.ts';
import { refuseTurnFields } from '../../start/start-time.ts';
import { type Started, startingConversation } from '../../start/start-turn.ts';
import { takeInput } from '../../start/take-input.ts';
import { allowedAgents } from '../agents/allowed-agents.ts';
import type { ApiContext } from '../context.ts';
import { explainTurnIssues } from '../http/fields/foreign-fields.ts';
import { findOwnConversation } from '../http/find-own.ts';
import { findReplay, withIdempotencyKey } from '../http/idempotency.ts';
import { setPollAfter } from '../http/poll-after.ts';
import { type ApiEnv, json, jsonAnswer, makeRouter, routesOf } from '../http/router.ts';
import { startWithinQuota } from '../quotas/start-within-quota.ts';
import { startedBy } from '../quotas/started-by.ts';
import { ofBody, ofConfig, ofIdempotencyKey } from '../schemas/errors/refusals.ts';
import { createdHeaders, idempotencyKey, startedHeaders } from '../schemas/fields/headers.ts';
import { standingOf } from '../turns/create-turn.ts';
import { showConversation } from './read-conversations.ts';
import { Conversation } from './schemas/conversation.ts';

const route = routesOf('Conversations');

const create = route('post', '/v1/conversations', 'createConversation', {
  summary: 'Create a conversation, and start its first turn if `input` is given',
  description:
    'All turns of the conversation inherit the given configuration. `priority`, `on_active_turn` and ' +
    'the times belong to one turn, so they require `input`. At this path, OpenAI’s SDKs get the ' +
    'operation of `/openai/v1/conversations`.',
  parameters: [idempotencyKey],
  request: { body: { required: true, content: json(ConversationRequest) } },
  answers: {
    201: jsonAnswer('Created.', Conversation, createdHeaders),
    202: jsonAnswer(
      'The conversation was created, and its first turn was started: `turn`.',
      Conversation,
      startedHeaders,
    ),
  },
  refusals: [...ofBody, ...ofConfig, ...ofIdempotencyKey, 'unsupported_content'],
});

/** Serves `POST /v1/conversations`. */
export function createConversationRoutes(context: ApiContext) {
  return makeRouter(explainTurnIssues).openapi(create, async (c) => {
    const project = c.get('project');
    const created = (await findReplay(c, context)) ?? (await makeOne(c, context, c.req.valid('json')));
    if ('wakeups' in created && created.wakeups) await publishChanges(context, { wakeups: created.wakeups });

    c.header('Location', `${context.publicUrl}/v1/conversations/${created.resourceId}`);
    const found = await findOwnConversation(context.db, project, created.resourceId);
    const conversation = showConversation(found, context);
    if (created.status === 201) return c.json(conversation, 201);
    const turn = await findFirstTurn(context.db, created.resourceId);
    if (turn) setPollAfter(c, turn);
    return c.json({ ...conversation, ...(turn && { turn: presentTurn(turn) }) }, 202);
  });
}

async function makeOne(
  c: Context<ApiEnv>,
  context: ApiContext,
  body: ConversationRequest,
): Promise<Created & Partial<Pick<Started, 'wakeups'>>> {
  const project = c.get('project');
  const id = newId('conv');
  const rules = { ...context, project, conversationId: id, allowedAgents: allowedAgents(c, context) };
  const config = await configOfTurn(body, rules);
  const creation = await creationOf(context, { ...startedBy(c, context), id, body, config });
  return (body.input ? startWithinQuota : withIdempotencyKey)(c, context, creation);
}

/** Resolves the configuration of the first turn. Returns null without a turn, after a check of the configuration. */
async function configOfTurn(
  body: ConversationRequest,
  rules: ApiContext & { project: string; conversationId: string; allowedAgents: readonly string[] | null },
): Promise<TurnConfig | null> {
  if (body.input) return resolveLayers({ own: standingOf(body) }, { ...rules, input: body.input });
  refuseTurnFields(body);
  await checkStanding(await mergeStanding(standingOf(body), rules), rules);
  return null;
}

type WantedConversation = ReturnType<typeof startedBy> & {
  id: string;
  body: ConversationRequest;
  config: TurnConfig | null;
};

async function creationOf(
  context: ApiContext,
  { id, project, keyId, trace, needsSlot, body, config }: WantedConversation,
): Promise<Creation<Created | (Created & Pick<Started, 'wakeups'>)>> {
  const standing = { config: standingOf(body), metadata: body.metadata ?? {} };
  if (!body.input || !config) {
    return {
      alone: async (db) => {
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
    needsSlot,
    conversationId: id,
    config,
    taken,
    request: { priority, on_active_turn, debounce_ms, start_at, delay_seconds },
  };
  return withResource(startingConversation(start, standing), id);
}

/** Makes the conversation the resource of the answer, in place of its turn. */
function withResource(creation: Creation<Started>, resourceId: string): Creation<Created & Pick<Started, 'wakeups'>> {
  if (!creation.inTransaction) return { alone: async (db) => ({ ...(await creation.alone(db)), resourceId }) };
  return { inTransaction: async (trx) => ({ ...(await creation.inTransaction(trx)), resourceId }) };
}
