import { type RouteHandler, z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { newId } from '#core/id.ts';
import type { ConversationRequest } from '#core/turn/request/conversation.ts';
import { type StandingConfig, TurnRequest } from '#core/turn/request/turn.ts';
import { presentTurn } from '#core/turn/resource/turn.ts';
import { publishChanges } from '../../process/publish-changes.ts';
import { resolveLayers } from '../../start/agents/resolve-layers.ts';
import type { Created } from '../../start/creation.ts';
import { type Joined, joinOrStartTurn, type Started, startingConversation } from '../../start/start-turn.ts';
import { takeInput } from '../../start/take-input.ts';
import { allowedAgents } from '../agents/allowed-agents.ts';
import type { ApiContext } from '../context.ts';
import { explainTurnIssues } from '../http/fields/foreign-fields.ts';
import { findOwnConversation, findOwnTurn } from '../http/find-own.ts';
import { findReplay } from '../http/idempotency.ts';
import { setPollAfter } from '../http/poll-after.ts';
import { type ApiEnv, json, jsonAnswer, makeRouter, routesOf } from '../http/router.ts';
import { startWithinQuota } from '../quotas/start-within-quota.ts';
import { startedBy } from '../quotas/started-by.ts';
import type { ErrorCode } from '../schemas/errors/error-codes.ts';
import { ofBody, ofConfig, ofIdempotencyKey } from '../schemas/errors/refusals.ts';
import { idempotencyKey, startedHeaders } from '../schemas/fields/headers.ts';
import { ConversationId } from '../schemas/fields/id.ts';
import { Turn } from './schemas/turn.ts';

const parameters = [idempotencyKey];
const request = { body: { required: true, content: json(TurnRequest) } } as const;
const started = {
  202: {
    description: 'The turn was started and committed. Pawl completes it even if a process dies.',
    headers: z.object(startedHeaders),
    content: json(Turn),
  },
};
const refused: ErrorCode[] = [...ofBody, ...ofConfig, ...ofIdempotencyKey, 'unsupported_content'];

const route = routesOf('Turns');

const oneShot = route('post', '/v1/turns', 'startTurn', {
  summary: 'Start a turn in a new conversation',
  description: 'The given fields become the default configuration of the conversation.',
  parameters,
  request,
  answers: started,
  refusals: refused,
});

const inConversation = route('post', '/v1/conversations/{id}/turns', 'startNextTurn', {
  summary: 'Start a turn in a conversation',
  description: 'A turn inherits omitted fields from the conversation. Given fields apply to this turn only.',
  parameters,
  request: { ...request, params: z.object({ id: ConversationId }) },
  answers: {
    200: jsonAnswer('With `steer` or `merge`: the turn that the input was added to.', Turn, startedHeaders),
    ...started,
  },
  refusals: [...refused, 'conversation_not_found', 'conversation_busy', 'turn_differs'],
});

/** Serves `POST /v1/turns` and `POST /v1/conversations/:id/turns`. */
export function createTurnRoutes(context: ApiContext) {
  return makeRouter(explainTurnIssues)
    .openapi(oneShot, startOneShot(context))
    .openapi(inConversation, startInConversation(context));
}

/** The given fields become the default configuration of the new conversation. */
function startOneShot(context: ApiContext): RouteHandler<typeof oneShot, ApiEnv> {
  return async (c) => {
    const project = c.get('project');
    const body = c.req.valid('json');
    const replay = await findReplay(c, context);
    if (replay) return c.json(await accept(c, context, replay), 202);
    const standing = standingOf(body);
    const conversationId = newId('conv');
    const rules = { ...context, project, conversationId, input: body.input, allowedAgents: allowedAgents(c, context) };
    const config = await resolveLayers({ own: standing }, rules);
    const taken = await takeInput(context, { project, config, input: body.input });
    const start = { ...startedBy(c, context), conversationId, config, taken, request: body };
    const created = await startWithinQuota(c, context, startingConversation(start, conversationOf(standing)));
    return c.json(await accept(c, context, created), 202);
  };
}

function startInConversation(context: ApiContext): RouteHandler<typeof inConversation, ApiEnv> {
  return async (c) => {
    const project = c.get('project');
    const body = c.req.valid('json');
    const conversation = await findOwnConversation(context.db, project, c.req.valid('param').id);
    const replay = await findReplay(c, context);
    if (replay) return c.json(await accept(c, context, replay), statusOf(replay));
    const given = standingOf(body);
    const allowed = { allowedAgents: allowedAgents(c, context) };
    const rules = { ...context, ...allowed, project, conversationId: conversation.id, input: body.input };
    const config = await resolveLayers({ own: given, standing: conversation.config }, rules);
    const taken = await takeInput(context, { project, config, input: body.input });
    const ids = { ...startedBy(c, context), conversationId: conversation.id };
    const start = { ...ids, ...allowed, config, taken, request: body, given };
    const created = await startWithinQuota(c, context, { inTransaction: (trx) => joinOrStartTurn(trx, start) });
    return c.json(await accept(c, context, created), statusOf(created));
  };
}

/** Returns the new conversation of a turn. Its configuration belongs to that turn. */
function conversationOf(config: StandingConfig) {
  return { config, metadata: {}, begunByTurn: true };
}

/** An input that joined a turn is answered with 200, a new turn with 202. */
function statusOf({ status }: Created): 200 | 202 {
  return status === 200 ? 200 : 202;
}

/** Answers a request that started a turn, added its input to a turn, or was replayed. */
export async function accept(c: Context<ApiEnv>, context: ApiContext, created: Created | Started | Joined) {
  const isNew = 'turn' in created;
  if (isNew) {
    context.streamHub.addCreated(created.turn);
    await publishChanges(context, { wakeups: created.wakeups, ended: created.interrupted });
  } else if ('wakeups' in created) await publishChanges(context, { wakeups: [], joined: [created.resourceId] });
  const turn = isNew ? created.turn : await findOwnTurn(context.db, c.get('project'), created.resourceId);
  c.header('Location', `${context.publicUrl}/v1/turns/${turn.id}`);
  setPollAfter(c, turn);
  return presentTurn(turn);
}

type Given = TurnRequest | ConversationRequest;

/** Returns the fields of a request that apply to each turn of its conversation. */
export function standingOf({ input, metadata, on_active_turn, priority, ...others }: Given): StandingConfig {
  const { start_at, delay_seconds, debounce_ms, ...config } = others;
  return config;
}
