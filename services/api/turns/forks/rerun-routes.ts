import { createRoute, type RouteHandler, z } from '@hono/zod-openapi';
import { RerunRequest } from '#core/turn/forks/fork-request.ts';
import { checkKnownInput } from '../../../start/take-input.ts';
import type { ApiContext } from '../../context.ts';
import { explainTurnIssues } from '../../http/fields/foreign-fields.ts';
import { findOwnTurn } from '../../http/find-own.ts';
import { findReplay } from '../../http/idempotency.ts';
import { type ApiEnv, json, makeRouter } from '../../http/router.ts';
import { startWithinQuota } from '../../quotas/start-within-quota.ts';
import { startedBy } from '../../quotas/started-by.ts';
import type { ErrorCode } from '../../schemas/errors/error-codes.ts';
import { ofBody, ofConfig, ofIdempotencyKey, refusals } from '../../schemas/errors/refusals.ts';
import { idempotencyKey, locationHeader, pollAfterHeader, replayedHeader } from '../../schemas/fields/headers.ts';
import { TurnId } from '../../schemas/fields/id.ts';
import { accept } from '../create-turn.ts';
import { Turn } from '../schemas/turn.ts';
import { configOfFork } from './fork-config.ts';
import { refuseActive, startRerun } from './start-fork.ts';

const ofOrigin: ErrorCode[] = ['turn_not_found', 'turn_active', 'round_not_finished'];

const rerun = createRoute({
  method: 'post',
  path: '/v1/turns/{id}/rerun',
  operationId: 'rerunTurn',
  tags: ['Turns'],
  summary: 'Run a turn that has ended again, with another model or other instructions',
  description:
    'Its input, in a new conversation that stands on what came before it. By default its tools do not run again: an equal call gets ' +
    'the recorded result, marked `cached`, and nobody is asked.',
  parameters: [idempotencyKey],
  request: { params: z.object({ id: TurnId }), body: { required: false, content: json(RerunRequest) } },
  responses: {
    202: {
      description: 'Started, and committed.',
      headers: z.object({ ...locationHeader, ...pollAfterHeader, ...replayedHeader }),
      content: json(Turn),
    },
    ...refusals(...ofBody, ...ofConfig, ...ofIdempotencyKey, 'unsupported_content', ...ofOrigin),
  },
});

/** `POST /v1/turns/:id/rerun`. */
export function rerunRoutes(context: ApiContext) {
  return makeRouter(explainTurnIssues).openapi(rerun, rerunOne(context));
}

function rerunOne(context: ApiContext): RouteHandler<typeof rerun, ApiEnv> {
  return async (c) => {
    const project = c.get('project');
    const { tool_results, metadata, priority, ...overrides } = c.req.valid('json') ?? {};
    const replay = await findReplay(c, context);
    if (replay) return c.json(await accept(c, context, replay), 202);
    const origin = await findOwnTurn(context.db, project, c.req.valid('param').id);
    refuseActive(origin);
    const rules = { ...context, project, input: origin.input };
    const { config, standing } = await configOfFork(origin.config, overrides, rules);
    checkKnownInput(context, { config, input: origin.input });
    const request = { metadata, priority: priority ?? origin.priority };
    const start = { ...startedBy(c, context), config, request };
    const toolResults = tool_results ?? 'reuse';
    const made = await startWithinQuota(c, context, {
      together: (trx) => startRerun(trx, { originId: origin.id, toolResults, standing, start }),
    });
    return c.json(await accept(c, context, made), 202);
  };
}
