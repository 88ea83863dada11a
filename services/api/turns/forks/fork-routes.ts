import { createRoute, type RouteHandler, z } from '@hono/zod-openapi';
import { ForkRequest } from '#core/turn/forks/fork-request.ts';
import { takeInput } from '../../../start/take-input.ts';
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
import { planned, startFork } from './start-fork.ts';

const ofPlace: ErrorCode[] = ['input_required', 'turn_not_found', 'round_not_finished'];

const fork = createRoute({
  method: 'post',
  path: '/v1/turns/{id}/fork',
  operationId: 'forkTurn',
  tags: ['Turns'],
  summary: 'Go on from a round of a turn, in a new conversation',
  description:
    'The first turn of a conversation that stands on the log up to that round: it is read, not copied, and the turn may run on, ' +
    'end or be deleted. What is left out of the configuration is as that turn has it.',
  parameters: [idempotencyKey],
  request: { params: z.object({ id: TurnId }), body: { required: false, content: json(ForkRequest) } },
  responses: {
    202: {
      description: 'Started, and committed.',
      headers: z.object({ ...locationHeader, ...pollAfterHeader, ...replayedHeader }),
      content: json(Turn),
    },
    ...refusals(...ofBody, ...ofConfig, ...ofIdempotencyKey, 'unsupported_content', ...ofPlace),
  },
});

/** `POST /v1/turns/:id/fork`. */
export function forkRoutes(context: ApiContext) {
  return makeRouter(explainTurnIssues).openapi(fork, forkOne(context));
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
    const rules = { ...context, project, input: input ?? origin.input };
    const { config, standing } = await configOfFork(origin.config, overrides, rules);
    const taken = input ? await takeInput(context, { project, config, input }) : { input: [], hashes: [], blobs: [] };
    const request = { metadata, priority: priority ?? origin.priority };
    const start = { ...startedBy(c, context), config, taken, request };
    const made = await startWithinQuota(c, context, {
      together: (trx) => startFork(trx, { originId: origin.id, asked, standing, start }),
    });
    return c.json(await accept(c, context, made), 202);
  };
}
