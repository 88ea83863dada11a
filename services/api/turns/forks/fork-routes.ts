import { type RouteHandler, z } from '@hono/zod-openapi';
import { newIdBeside } from '#core/id.ts';
import { ForkRequest, RerunRequest } from '#core/turn/forks/fork-request.ts';
import { checkItems } from '../../../start/agents/check-items.ts';
import { checkKnownInput, takeInput } from '../../../start/take-input.ts';
import { allowedAgents } from '../../agents/allowed-agents.ts';
import type { ApiContext } from '../../context.ts';
import { explainTurnIssues } from '../../http/fields/foreign-fields.ts';
import { findOwnTurn } from '../../http/find-own.ts';
import { findReplay } from '../../http/idempotency.ts';
import { type ApiEnv, json, jsonAnswer, makeRouter, routesOf } from '../../http/router.ts';
import { startWithinQuota } from '../../quotas/start-within-quota.ts';
import { startedBy } from '../../quotas/started-by.ts';
import type { ErrorCode } from '../../schemas/errors/error-codes.ts';
import { ofBody, ofConfig, ofIdempotencyKey } from '../../schemas/errors/refusals.ts';
import { idempotencyKey, startedHeaders } from '../../schemas/fields/headers.ts';
import { TurnId } from '../../schemas/fields/id.ts';
import { accept } from '../create-turn.ts';
import { Turn } from '../schemas/turn.ts';
import { configOfFork } from './fork-config.ts';
import { planned, refuseActive, startFork, startRerun } from './start-fork.ts';

const route = routesOf('Turns');
const parameters = [idempotencyKey];
const params = z.object({ id: TurnId });
const answers = { 202: jsonAnswer('The turn was started and committed.', Turn, startedHeaders) };
const ofStart: ErrorCode[] = [...ofBody, ...ofConfig, ...ofIdempotencyKey, 'unsupported_content'];
const ofBoth: ErrorCode[] = [...ofStart, 'turn_not_found', 'round_not_finished'];

const fork = route('post', '/v1/turns/{id}/fork', 'forkTurn', {
  summary: 'Continue from a round of a turn, in a new conversation',
  description:
    'Creates a conversation that shares the history of the turn up to that round. Pawl reads this history and does not copy it. The original turn may continue, end or be deleted. Omitted configuration fields are taken from that turn.',
  parameters,
  request: { params, body: { required: false, content: json(ForkRequest) } },
  answers,
  refusals: [...ofBoth, 'input_required'],
});

const rerun = route('post', '/v1/turns/{id}/rerun', 'rerunTurn', {
  summary: 'Run an ended turn again, with another model or other instructions',
  description:
    'Runs the input again in a new conversation with the same history. By default tools do not run ' +
    'again: an equal call gets the recorded result, marked `cached`, and no approval is requested.',
  parameters,
  request: { params, body: { required: false, content: json(RerunRequest) } },
  answers,
  refusals: [...ofBoth, 'turn_active'],
});

/** Serves `POST /v1/turns/:id/fork` and `/rerun`. */
export function forkRoutes(context: ApiContext) {
  return makeRouter(explainTurnIssues).openapi(fork, forkOne(context)).openapi(rerun, rerunOne(context));
}

function forkOne(context: ApiContext): RouteHandler<typeof fork, ApiEnv> {
  return async (c) => {
    const project = c.get('project');
    const { after_round: afterRound = null, input, metadata, priority, ...overrides } = c.req.valid('json') ?? {};
    const replay = await findReplay(c, context);
    if (replay) return c.json(await accept(c, context, replay), 202);
    const origin = await findOwnTurn(context.db, project, c.req.valid('param').id);
    const asked = { afterRound, hasInput: Boolean(input) };
    planned(origin, asked);
    const conversationId = newIdBeside('conv', origin.id);
    const allowed = allowedAgents(c, context);
    if (allowed) checkItems(input, 'input');
    const rules = { ...context, project, conversationId, input: input ?? origin.input, allowedAgents: allowed };
    const { config, standing } = await configOfFork(origin.config, overrides, rules);
    const taken = input ? await takeInput(context, { project, config, input }) : { input: [], hashes: [], blobs: [] };
    const request = { metadata, priority: priority ?? origin.priority };
    const start = { ...startedBy(c, context), conversationId, config, taken, request };
    const created = await startWithinQuota(c, context, {
      inTransaction: (trx) => startFork(trx, { originId: origin.id, asked, standing, start }),
    });
    return c.json(await accept(c, context, created), 202);
  };
}

function rerunOne(context: ApiContext): RouteHandler<typeof rerun, ApiEnv> {
  return async (c) => {
    const project = c.get('project');
    const { tool_results, metadata, priority, ...overrides } = c.req.valid('json') ?? {};
    const replay = await findReplay(c, context);
    if (replay) return c.json(await accept(c, context, replay), 202);
    const origin = await findOwnTurn(context.db, project, c.req.valid('param').id);
    refuseActive(origin);
    const conversationId = newIdBeside('conv', origin.id);
    const allowed = { allowedAgents: allowedAgents(c, context) };
    if (allowed.allowedAgents)
      checkItems([...origin.input, ...origin.joined.flatMap(({ content }) => content)], 'input');
    const rules = { ...context, ...allowed, project, conversationId, input: origin.input };
    const { config, standing } = await configOfFork(origin.config, overrides, rules);
    checkKnownInput(context, { config, input: origin.input });
    const request = { metadata, priority: priority ?? origin.priority };
    const start = { ...startedBy(c, context), conversationId, config, request };
    const toolResults = tool_results ?? 'reuse';
    const created = await startWithinQuota(c, context, {
      inTransaction: (trx) => startRerun(trx, { originId: origin.id, toolResults, standing, start }),
    });
    return c.json(await accept(c, context, created), 202);
  };
}
